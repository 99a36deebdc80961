"""The words of a report, in English and Korean."""

from __future__ import annotations

WORDS: dict[str, dict[str, str]] = {
    "en": {
        "title": "Report on {folder}", "selection": "Selection", "query": "Query", "number": "Documents",
        "count": "{count} of {total} ({share})", "left_out": "{count} more are not in this report.",
        "model": "Model", "made": "Made", "map": "Map", "clusters": "Clusters", "none": "in no cluster",
        "map_told": "Documents that say similar things lie together. Those of this report are coloured by cluster.",
        "documents": "Documents", "title_of": "Title", "cluster": "Cluster", "score": "Score", "texts": "Texts",
        "whole": "The whole text", "cut": "{count} more characters are in the file itself.",
    },
    "ko": {
        "title": "{folder} 보고서", "selection": "고른 문서", "query": "검색어", "number": "문서",
        "count": "전체 {total}건 중 {count}건({share})", "left_out": "{count}건은 이 보고서에 넣지 않았습니다.",
        "model": "모델", "made": "만든 때", "map": "문서 지도", "clusters": "묶음", "none": "묶음 없음",
        "map_told": "내용이 비슷한 문서가 가까이 놓입니다. 이 보고서의 문서는 묶음별 색으로 표시했습니다.",
        "documents": "문서 목록", "title_of": "제목", "cluster": "묶음", "score": "점수", "texts": "본문",
        "whole": "전체 본문 보기", "cut": "나머지 {count}자는 원본 파일에 있습니다.",
    },
}  # fmt: skip

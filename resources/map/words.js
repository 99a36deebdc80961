"use strict";
// What the page says, in English and Korean.

const WORDS = {
  en: {
    map: "Map of documents. Arrow keys move, plus and minus zoom, J and K go through documents, Enter pins one.",
    documents: "{0} documents", search: "Search titles and texts", searchTip: "Looks in the titles and in the beginnings of the texts that this file holds",
    found: "{0} found", at: "{0} of {1}", nothing: "nothing found", previous: "Previous match (Shift+Enter)", next: "Next match (Enter)",
    clear: "Clear the search (Esc)", theme: "Light or dark", language: "한국어", keys: "Keys", legend: "Legend", fold: "Fold the legend",
    colourBy: "Colour by", cluster: "Cluster", trust: "Map trust", none: "No cluster", missing: "Not known", other: "Other ({0} values)",
    shown: "Click a line to see only it", filtered: "{0} shown", showAll: "Show all", closer: "Zoom in (+)", farther: "Zoom out (−)", fit: "Whole map (0)",
    meanTrust: "Map trust {0} %", trustTip: "How many of the documents most similar to each one also lie near it on this map, on average. Click to colour by it.",
    trustOf: "{0} %", card: "Document", close: "Unpin (Esc)", empty: "There are no documents on this map.", pinned: "Pinned: {0}",
    help: [["Drag, arrows", "move"], ["Wheel, pinch, + −, double click", "zoom"], ["0", "whole map"], ["/", "search"], ["Enter, Shift+Enter", "next, previous match"],
      ["J, K", "next, previous document"], ["Click, Enter", "pin"], ["Esc", "one step back"]],
  },
  ko: {
    map: "문서 지도. 화살표로 이동하고, 더하기와 빼기로 확대·축소하고, J와 K로 문서를 넘기고, Enter로 고정합니다.",
    documents: "문서 {0}개", search: "제목과 본문에서 찾기", searchTip: "제목과 이 파일에 담긴 본문 앞부분에서 찾습니다",
    found: "{0}개", at: "{1}개 중 {0}번째", nothing: "없음", previous: "이전 결과 (Shift+Enter)", next: "다음 결과 (Enter)",
    clear: "검색 지우기 (Esc)", theme: "밝게 또는 어둡게", language: "English", keys: "단축키", legend: "범례", fold: "범례 접기",
    colourBy: "색 기준", cluster: "묶음", trust: "지도 신뢰도", none: "묶음 없음", missing: "알 수 없음", other: "그 밖의 값 {0}가지",
    shown: "항목을 누르면 그것만 보입니다", filtered: "{0}개 표시", showAll: "모두 보기", closer: "확대 (+)", farther: "축소 (−)", fit: "전체 보기 (0)",
    meanTrust: "지도 신뢰도 {0}%", trustTip: "각 문서와 가장 비슷한 문서들이 이 지도에서도 가까이 있는 비율의 평균입니다. 누르면 색으로 보여 줍니다.",
    trustOf: "{0}%", card: "문서", close: "고정 풀기 (Esc)", empty: "이 지도에는 문서가 없습니다.", pinned: "고정: {0}",
    help: [["끌기, 화살표", "이동"], ["휠, 두 손가락, + −, 두 번 누르기", "확대·축소"], ["0", "전체 보기"], ["/", "찾기"], ["Enter, Shift+Enter", "다음, 이전 결과"],
      ["J, K", "다음, 이전 문서"], ["누르기, Enter", "고정"], ["Esc", "한 단계 뒤로"]],
  },
};

let language = (navigator.language || "en").toLowerCase().startsWith("ko") ? "ko" : "en";

function say(key, ...values) {
  return WORDS[language][key].replace(/\{(\d)\}/g, (_, place) => values[place]);
}

function number(value, digits = 0) {
  return value.toLocaleString(language, { maximumFractionDigits: digits });
}

/** Puts the words of the language into everything that is marked to have some. */
function translatePage() {
  document.documentElement.lang = language;
  for (const part of document.querySelectorAll("[data-text]")) part.textContent = say(part.dataset.text);
  for (const part of document.querySelectorAll("[data-name]")) part.setAttribute("aria-label", say(part.dataset.name));
  for (const part of document.querySelectorAll("[data-tip]")) part.title = say(part.dataset.tip);
  for (const part of document.querySelectorAll("[data-hint]")) part.placeholder = say(part.dataset.hint);
}

function make(kind, className = "", text = "") {
  const part = document.createElement(kind);
  if (className) part.className = className;
  if (text) part.textContent = text;
  return part;
}
const at = (id) => document.getElementById(id);

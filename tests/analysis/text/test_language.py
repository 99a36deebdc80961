"""Which language a text is in."""

from __future__ import annotations

import time

import pytest

from explorer.analysis.text.language import language


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("The quick brown fox jumps over the lazy dog", "en"),
        ("Solar panel efficiency", "en"),
        ("we use the model für alles", "en"),
        ("Wo ist der Bahnhof?", "de"),
        ("Le chat est sur la table", "fr"),
        ("¿Dónde está la biblioteca?", "es"),
        ("O gato está na mesa e não quer descer", "pt"),
        ("Kot siedzi na stole i nie je", "pl"),
        ("Tôi là sinh viên", "vi"),
        ("Bugün hava çok güzel", "tr"),
        ("für alle", "latin"),
        ("나는 학교에 간다", "ko"),
        ("GPT-4 모델", "ko"),
        ("大韓民國의 憲法", "ko"),
        ("ㅋㅋㅋ", "ko"),
        ("東京都は猫が好き", "ja"),
        ("カタカナ", "ja"),
        ("我喜欢机器学习", "zh"),
        ("漢字", "zh"),
        ("Привет, мир", "ru"),
        ("Привіт, як справи?", "uk"),
        ("Καλημέρα κόσμε", "el"),
        ("مرحبا بالعالم", "ar"),
        ("سلام چطوری", "fa"),
        ("שלום", "he"),
        ("हिन्दी", "hi"),
        ("สวัสดี", "th"),
        ("გამარჯობა", "ka"),
        ("Machine Learning in practice 기초", "en"),
        ("", ""),
        ("12:30, 42 %", ""),
        ("😀 →", ""),
    ],
)
def test_languages(text, code):
    assert language(text) == code


def test_a_long_text_is_judged_by_parts_of_it():
    start = time.process_time()
    assert language("나는 학교에 간다. " * 1_000_000) == "ko"
    assert time.process_time() - start < 1.0


def test_it_is_fast_enough_for_a_large_corpus():
    texts = ["How do I sort a list of dictionaries by a value?", "여자친구가 데이트 시간을 너무 안 지켜."] * 10_000
    start = time.process_time()
    assert sum(language(text) == "ko" for text in texts) == len(texts) // 2
    assert time.process_time() - start < 5.0

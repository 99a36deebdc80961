"""Words too common to tell one text from another, in English as written and in Korean as index terms."""

from __future__ import annotations

ENGLISH_STOP_WORDS = frozenset(
    """
    a about above after again against all almost also although always am among an and another any anyone
    anything are aren't around as at away be became because become been before being below between both but by
    came can can't cannot could couldn't did didn't do does doesn't doing don't done down during each either
    else enough etc even ever every everyone everything few for from further get gets getting go goes going got
    had hadn't has hasn't have haven't having he he'd he'll he's hence her here here's hers herself him himself
    his how however i i'd i'll i'm i've if in indeed instead into is isn't it it'd it'll it's its itself just
    let let's like made make makes many may maybe me might more moreover most much must my myself neither never
    no nobody none nor not nothing now of off often on once one only onto or other others otherwise ought our
    ours ourselves out over own per perhaps quite rather really same say says seem seems several shall shan't
    she she'd she'll she's should shouldn't since so some someone something sometimes still such than that
    that's the their theirs them themselves then there there's therefore these they they'd they'll they're
    they've thing things this those though through thus to together too toward towards under until up upon us
    use used using very via was wasn't we we'd we'll we're we've well were weren't what what's whatever when
    where where's whether which while who who's whoever whole whom whose why will with within without won't
    would wouldn't yes yet you you'd you'll you're you've your yours yourself yourselves
    """.split()  # noqa: SIM905 - a list of strings would fill five pages
)

# Verbs and adjectives stand in their dictionary form, as the index has them.
KOREAN_STOP_WORDS = frozenset(
    """
    것 거 수 등 때 때문 데 줄 바 점 중 뿐 만큼 대로 채 척 듯 적 번 명 개 년 월 일 시 분 초 원 가지 정도
    나 너 저 우리 저희 너희 그 그녀 당신 자기 자신 이 이것 그것 저것 여기 거기 저기 누구 무엇 뭐 언제 어디 얼마
    이런 그런 저런 어떤 무슨 어느 모든 여러 각 다른 새 한 두 세 네 첫 몇 하나 둘 셋
    하다 되다 있다 없다 이다 아니다 같다 않다 못하다 보다 주다 싶다 가다 오다 말다 지다 버리다 놓다 두다 내다
    나다 들다 대하다 위하다 의하다 통하다 따르다 관하다 이러하다 그러하다 어떠하다 이렇다 그렇다 저렇다 어떻다 알다
    그리고 그러나 그런데 그래서 그러면 그러므로 따라서 하지만 또 또한 및 혹은 또는 즉 만약 만일
    더 가장 매우 아주 너무 정말 진짜 참 좀 조금 많이 잘 못 안 다 모두 다시 이미 아직 벌써 바로 지금 이제 항상 자주
    계속 거의 특히 역시 왜 어떻게 이렇게 그렇게 그냥 그래 네 예 응 아니 오늘 내일 어제 경우 통해 위해 대해
    """.split()  # noqa: SIM905
)

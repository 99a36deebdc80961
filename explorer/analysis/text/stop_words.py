"""Words too common to distinguish one text from another, in English as written and in Korean as index terms."""

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

# Words that a search may need but that name no topic. Each form by itself: "new" says nothing, "news" does.
WEAK_WORDS = frozenset(
    """
    able accept according across act actual actually add added adding ago agree agreed ahead ain't allow
    allowed allows alone along already alright amount answer answers anybody anymore anyway anyways anywhere
    apart apparent apparently appear appears appreciate appreciated appropriate approximately aren aside ask
    asked asking asks assume assuming attempt available aware awful awfully back bad based basic basically
    basis begin beginning begins behind believe believed believes beside besides best better beyond big bigger
    biggest bit bits bother bottom bought bring bringing brings brought build built bunch buy call called
    calling calls care case cases cause caused causes certain certainly chance change changed changes check
    cheers choose claim claimed claims clear clearly close come comes coming comment comments common complete
    completely concern concerned concerning consider considered considering contain containing contains
    correct correctly couple course create created creating current currently day days deal dealing dear
    decide decided definitely depend depends describe described despite detail details difference different
    differently difficult directly discuss discussed discussing discussion doesn doubt due earlier easier
    easily easy effect effectively eight end ended ends entire entirely especially essentially exact exactly
    example examples except exist existing exists expect expected explain explained extra extremely fact facts
    fail fails fairly familiar far faster feel feels felt figure final finally find finding finds fine first
    five follow followed following follows forget forward found four frequently full fully furthermore future
    gave general generally give given gives giving glad gone gonna good gotten great greater greatly greetings
    guess guy guys half hand handle happen happened happening happens happy hard hardly haven hear heard held
    hello help helped helpful helping helps hi high higher highly hold holds hope hopefully hoping huge idea
    ideas immediately implement implemented important impossible include included includes including inside
    insist interest interested interesting involve involved isn issue issues item items keep keeping keeps
    kept kind kinds knew know knowing known knows large larger largest last late later latest latter lead
    leads learn least leave leaving led left less lets level likely line lines list listed literally little
    live lives living long longer look looked looking looks lose lot lots low lower main mainly major making
    manner matter matters mean meaning means meant mention mentioned mere merely mind mine minor minute
    minutes moment month months mostly mr mrs ms move moved multiple name named namely names near nearly
    necessarily necessary need needed needing needs nevertheless new newer nice night nine nobody non nope
    normal normally note noted notice number numbers numerous obvious obviously occasionally occur occurs
    offer oh ok okay old older ones open opinion opinions option options order ordinary original otherwise
    outside overall page part particular particularly parts past people perform performed person personal
    personally perhaps piece pieces place placed places plain play please plenty plus point points poor position
    possible possibly post posted posting posts practically prefer presence present presumably pretty prevent
    previous previously primarily prior probably problem problems proper properly prove provide provided
    provides providing purpose put puts putting question questions quick quickly quietly quote quoted ran
    rarely reach read reading ready real realise realize realized reason reasonable reasonably reasons recall
    receive received recent recently recommend refer referring regard regarding regardless regards regular
    related relate relatively remain remains remember remove replied reply require required requires respect
    response responses rest result results return right rough roughly run running runs sadly saw saying second
    seconds section see seeing seemed seemingly seen sees self sense sent serious seriously serve set sets
    setting seven shame short shortly show showed showing shown shows side sides similar similarly simple
    simply sincerely single sit situation six size slight slightly slow small smaller somebody somehow
    sometime someone's somewhat somewhere soon sorry sort sorts special specific specifically stand standard
    start started starting starts stated statement stay stop stuff stupid subject such sudden suddenly
    sufficient suggest suggested suggestion suggestions suggests suppose supposed sure surely surprise take
    taken takes taking talk talked talking talks tell telling tells ten tend term terms thank thanks thats
    theirs they thinks think thinking thought thoughts thousand three throughout time times tip tips title
    today told tomorrow tonight took top topic total totally tried tries trouble true truly try trying turn
    turned two type types typical typically unable understand understanding understood unfortunately unless
    unlike unlikely usage useful user's uses usual usually value various verify version versus view wait
    waiting wanna want wanted wanting wants wasn way ways week weeks weird went weren whatsoever whenever
    whereas wherever wide wish won wonder wondered wondering word words work worked working works worse worst
    worth wouldn write writes writing written wrong wrote yeah year years yep yesterday zero article articles
    edu com org gov net ca uk re fwd fyi imho imo btw lol asap eg ie viz cf vs pp vol jan feb mar apr jun jul
    aug sep sept oct nov dec january february march april june july august september october november december
    monday tuesday wednesday thursday friday saturday sunday mon tue wed thu fri said next hour hours evening
    morning afternoon hundred hundreds thousands eleven twelve thirteen fifteen twenty thirty forty fifty
    sixty million third fourth fifth twice reached fell stops pass passed men man honestly absolutely nowadays
    nonetheless ah hey huh hmm wow damn heck shit crap dude folks metre metres meter meters kilometre
    kilometres km cm mm kg mile miles feet inch inches am pm gmt utc est edt cst cdt mst mdt pst pdt bob mike
    dave steve john david jim tom chris scott brian dan paul jeff kevin joe eric gary ken http https www html
    url mailto ftp tel sender dont deleted don doesn't didn couldn shouldn hadn hasn ll ve isn't
    """.split()  # noqa: SIM905
)

KOREAN_WEAK_WORDS = frozenset(
    """
    생각 말 말씀 사람 사람들 문제 방법 부분 이유 상황 상태 결과 내용 관련 가능 필요 중요 사용 이용 진행 시작 끝 마지막
    처음 다음 이번 지난번 최근 현재 당시 이후 이전 동안 사이 앞 뒤 위 아래 옆 안 밖 속 곳 쪽 편 면 날 밤 낮 아침
    저녁 오전 오후 시간 하루 이틀 사흘 요즘 올해 작년 내년 지난해 주말 평일 월요일 화요일 수요일 목요일 금요일 토요일
    일요일 매일 매주 매년 이상 이하 미만 정도 전체 일부 대부분 각각 서로 혼자 함께 직접 간접 추가 포함 제외 기준 종류
    형태 모습 느낌 마음 기분 얘기 이야기 소리 일 것들 그것 무엇 누군가 무언가 여기저기 여러분 본인 자체 상대 다른 하나
    둘 셋 첫째 둘째 셋째 확인 설명 질문 답변 대답 부탁 감사 안녕 죄송 참고 안내 문의 요청 예정 계획 경험 변화 차이
    의미 역할 영향 이해 선택 결정 사실 진짜 정말 그때 이때 갑자기 때문 만약 경우 수준 전부 나중 먼저 우선 보통 일반
    특별 최고 최대 최소 가지 거기 여기 해요 말아요 개로 가량 이천 가마씩 그대로 당신들 아무 아무것 대신 가운데 한때 절반
    전후 내외 여부 만큼 인정 제가 저는 나는 내가 우리 그게 이게 뭔가 해당 관리 제공 작업 활동 행동 노력 시도 준비 완료
    처리 발생
    """.split()  # noqa: SIM905
)

# Nouns of one syllable that are nearly always nouns, where others are as often the stem of a verb.
KOREAN_SHORT_NOUNS = frozenset(
    """
    집 꽃 돈 술 책 물 밥 빵 쌀 떡 콩 닭 곰 뱀 꿀 약 병 암 뼈 피 손 발 귀 코 몸 땅 산 강 숲 섬 빛 불 옷 칼
    총 춤 글 돌 논 밭 풀 잎 법 죄 빚 값 벽 문 꿈 힘 흙 벌 국 껌 똥 쥐 형 딸 뇌 폐 왕 탑 역 침 털 팔 턱 햄
    뿔 뜰
    """.split()  # noqa: SIM905
)

# Signs that hold a Chinese sentence together and are part of few words.
CHINESE_STOP_SIGNS = "的了是在我你他她它们們这這那哪和与與也就很被把让讓给給吗嗎呢吧啊么麼什谁誰怎又还還着"

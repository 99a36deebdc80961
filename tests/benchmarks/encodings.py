"""How often the encoding of a text is found: 30 languages in the encodings they were historically written in.

    python tests/benchmarks/encodings.py

Short texts are one sentence, long ones all sentences of the language. A text is right if it decodes to what was
encoded, whatever the encoding is called. charset-normalizer, if it is installed, reads the same bytes in the same run.
The sentences were written for this table; no letter statistics were taken from them.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from explorer.corpus.encoding.decode import decode

WESTERN = "cp1252 iso8859-15 mac-roman cp850"
CENTRAL = "cp1250 iso8859-2 cp852"
CYRILLIC = "cp1251 iso8859-5 cp866 mac-cyrillic"

# Language: its encodings, and a sentence a line.
TEXTS: dict[str, tuple[str, str]] = {
    "Korean": (
        "cp949 johab iso2022_kr utf-16-le",
        """도서관은 월요일마다 문을 닫지만 이번 주에는 화요일에도 쉽니다.
할머니께서 보내 주신 감자와 고구마를 이웃들과 나누어 먹었다.
모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다.
계약서 세 번째 쪽의 금액이 지난번에 합의한 것과 다릅니다.
기차가 늦어져서 마지막 버스를 놓칠까 봐 걱정했어요.""",
    ),
    "Japanese": (
        "cp932 euc_jp iso2022_jp",
        """図書館は毎週月曜日が休みですが、今週は火曜日も閉まります。
祖母が送ってくれたじゃがいもを近所の人たちと分けました。
すべての人間は、生まれながらにして自由であり、かつ、尊厳と権利とについて平等である。
契約書の三ページ目の金額が、前回の合意と違っています。
電車が遅れて、最後のバスに間に合わないかと心配しました。""",
    ),
    "Chinese (simplified)": (
        "gb18030 hz",
        """图书馆每逢星期一闭馆，这个星期二也休息。
奶奶寄来的土豆，我们分给了邻居们一些。
人人生而自由，在尊严和权利上一律平等。
合同第三页上的金额和上次商定的不一样。
火车晚点了，我担心赶不上最后一班公共汽车。""",
    ),
    "Chinese (traditional)": (
        "cp950",
        """圖書館每逢星期一閉館，這個星期二也休息。
奶奶寄來的馬鈴薯，我們分給了鄰居們一些。
人人生而自由，在尊嚴和權利上一律平等。
合約第三頁上的金額和上次商定的不一樣。
火車誤點了，我擔心趕不上最後一班公車。""",
    ),
    "Russian": (
        f"{CYRILLIC} koi8-r",
        """Библиотека закрыта по понедельникам, а на этой неделе ещё и во вторник.
Бабушка прислала нам картошку, и мы поделились ею с соседями.
Все люди рождаются свободными и равными в своём достоинстве и правах.
Сумма на третьей странице договора не та, о которой мы договаривались.
Поезд опоздал, и я боялся не успеть на последний автобус.""",
    ),
    "Ukrainian": (
        "cp1251 koi8-u iso8859-5 mac-cyrillic",
        """Бібліотека зачинена щопонеділка, а цього тижня ще й у вівторок.
Бабуся надіслала нам картоплю, і ми поділилися нею із сусідами.
Усі люди народжуються вільними і рівними у своїй гідності та правах.
Сума на третій сторінці договору не та, про яку ми домовлялися.
Поїзд запізнився, і я боявся не встигнути на останній автобус.""",
    ),
    "Bulgarian": (
        CYRILLIC,
        """Библиотеката е затворена всеки понеделник, а тази седмица и във вторник.
Баба ни изпрати картофи и ние ги разделихме със съседите.
Всички хора се раждат свободни и равни по достойнство и права.
Сумата на трета страница от договора не е тази, за която се разбрахме.
Влакът закъсня и се страхувах, че ще изпусна последния автобус.""",
    ),
    "Serbian": (
        "cp1251 iso8859-5 mac-cyrillic",
        """Библиотека је затворена понедељком, а ове недеље и у уторак.
Бака нам је послала кромпир и поделили смо га са комшијама.
Сва људска бића рађају се слободна и једнака у достојанству и правима.
Износ на трећој страни уговора није онај о којем смо се договорили.
Воз је каснио, па сам се бојао да ћу пропустити последњи аутобус.""",
    ),
    "Greek": (
        "cp1253 iso8859-7 cp737",
        """Η βιβλιοθήκη είναι κλειστή κάθε Δευτέρα και αυτή την εβδομάδα και την Τρίτη.
Η γιαγιά μάς έστειλε πατάτες και τις μοιραστήκαμε με τους γείτονες.
Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι στην αξιοπρέπεια και τα δικαιώματα.
Το ποσό στην τρίτη σελίδα του συμβολαίου δεν είναι αυτό που συμφωνήσαμε.
Το τρένο άργησε και φοβόμουν ότι θα χάσω το τελευταίο λεωφορείο.""",
    ),
    "Turkish": (
        "cp1254 iso8859-9 cp857",
        """Kütüphane pazartesi günleri kapalıdır, bu hafta salı günü de açılmayacak.
Büyükannemin gönderdiği patatesleri komşularla paylaştık.
Bütün insanlar hür, haysiyet ve haklar bakımından eşit doğarlar.
Sözleşmenin üçüncü sayfasındaki tutar geçen sefer anlaştığımız gibi değil.
Tren gecikti, son otobüsü kaçıracağım diye çok korktum.""",
    ),
    "Hebrew": (
        "cp1255 iso8859-8 cp862",
        """הספרייה סגורה בימי שני, והשבוע היא סגורה גם ביום שלישי.
סבתא שלחה לנו תפוחי אדמה וחילקנו אותם עם השכנים.
כל בני האדם נולדו בני חורין ושווים בערכם ובזכויותיהם.
הסכום בעמוד השלישי של החוזה אינו הסכום שעליו סיכמנו.
הרכבת איחרה ופחדתי שאפספס את האוטובוס האחרון.""",
    ),
    "Arabic": (
        "cp1256 iso8859-6",
        """المكتبة مغلقة كل يوم اثنين وهذا الأسبوع يوم الثلاثاء أيضا.
أرسلت لنا جدتي البطاطس فتقاسمناها مع الجيران.
يولد جميع الناس أحرارا متساوين في الكرامة والحقوق.
المبلغ في الصفحة الثالثة من العقد ليس ما اتفقنا عليه.
تأخر القطار وخفت أن تفوتني الحافلة الأخيرة.""",
    ),
    "Thai": (
        "cp874",
        """ห้องสมุดปิดทุกวันจันทร์ และสัปดาห์นี้ปิดวันอังคารด้วย
คุณยายส่งมันฝรั่งมาให้ เราจึงแบ่งให้เพื่อนบ้าน
มนุษย์ทั้งปวงเกิดมามีอิสระและเสมอภาคกันในเกียรติศักดิ์และสิทธิ
จำนวนเงินในหน้าสามของสัญญาไม่ตรงกับที่ตกลงกันไว้
รถไฟมาช้า ฉันกลัวว่าจะไม่ทันรถเมล์เที่ยวสุดท้าย""",
    ),
    "Vietnamese": (
        "cp1258",
        """Thư viện đóng cửa vào thứ hai, tuần này nghỉ cả thứ ba.
Bà ngoại gửi khoai tây cho chúng tôi và chúng tôi chia cho hàng xóm.
Mọi người sinh ra đều được tự do và bình đẳng về nhân phẩm và quyền lợi.
Số tiền ở trang thứ ba của hợp đồng không đúng như đã thỏa thuận.
Tàu đến muộn nên tôi sợ bị lỡ chuyến xe buýt cuối cùng.""",
    ),
    "Polish": (
        CENTRAL,
        """Biblioteka jest nieczynna w poniedziałki, a w tym tygodniu także we wtorek.
Babcia przysłała nam ziemniaki, więc podzieliliśmy się nimi z sąsiadami.
Wszyscy ludzie rodzą się wolni i równi pod względem swej godności i swych praw.
Kwota na trzeciej stronie umowy nie jest tą, którą uzgodniliśmy.
Pociąg się spóźnił i bałem się, że nie zdążę na ostatni autobus.""",
    ),
    "Czech": (
        CENTRAL,
        """Knihovna má v pondělí zavřeno a tento týden i v úterý.
Babička nám poslala brambory a my jsme se o ně rozdělili se sousedy.
Všichni lidé rodí se svobodní a sobě rovní co do důstojnosti a práv.
Částka na třetí straně smlouvy neodpovídá tomu, co jsme dohodli.
Vlak měl zpoždění a já se bál, že nestihnu poslední autobus.""",
    ),
    "Slovak": (
        CENTRAL,
        """Knižnica je v pondelok zatvorená a tento týždeň aj v utorok.
Babička nám poslala zemiaky a podelili sme sa o ne so susedmi.
Všetci ľudia sa rodia slobodní a sebe rovní, čo sa týka ich dôstojnosti a práv.
Suma na tretej strane zmluvy nie je tá, na ktorej sme sa dohodli.
Vlak meškal a bál som sa, že nestihnem posledný autobus.""",
    ),
    "Hungarian": (
        CENTRAL,
        """A könyvtár hétfőnként zárva van, ezen a héten pedig kedden is.
Nagymama burgonyát küldött nekünk, és megosztottuk a szomszédokkal.
Minden emberi lény szabadon születik és egyenlő méltósága és joga van.
A szerződés harmadik oldalán lévő összeg nem az, amiben megegyeztünk.
A vonat késett, és féltem, hogy lekésem az utolsó buszt.""",
    ),
    "Romanian": (
        CENTRAL,
        """Biblioteca este închisă în fiecare luni, iar săptămâna aceasta şi marţi.
Bunica ne-a trimis cartofi şi i-am împărţit cu vecinii.
Toate fiinţele umane se nasc libere şi egale în demnitate şi în drepturi.
Suma de pe pagina a treia a contractului nu este cea asupra căreia ne-am înţeles.
Trenul a întârziat şi mi-a fost teamă că pierd ultimul autobuz.""",
    ),
    "Croatian": (
        CENTRAL,
        """Knjižnica je zatvorena ponedjeljkom, a ovaj tjedan i u utorak.
Baka nam je poslala krumpire pa smo ih podijelili sa susjedima, što ih je razveselilo.
Sva ljudska bića rađaju se slobodna i jednaka u dostojanstvu i pravima.
Iznos na trećoj stranici ugovora nije onaj o kojem smo se dogovorili.
Vlak je kasnio i bojao sam se da ću propustiti zadnji autobus.""",
    ),
    "Lithuanian": (
        "cp1257 iso8859-13 cp775",
        """Biblioteka pirmadieniais nedirba, o šią savaitę uždaryta ir antradienį.
Močiutė atsiuntė mums bulvių, tad pasidalijome jomis su kaimynais.
Visi žmonės gimsta laisvi ir lygūs savo orumu ir teisėmis.
Suma trečiame sutarties puslapyje ne ta, dėl kurios susitarėme.
Traukinys vėlavo ir bijojau, kad nespėsiu į paskutinį autobusą.""",
    ),
    "Latvian": (
        "cp1257 iso8859-13 iso8859-4",
        """Bibliotēka pirmdienās ir slēgta, bet šonedēļ arī otrdien.
Vecmāmiņa atsūtīja mums kartupeļus, un mēs tajos dalījāmies ar kaimiņiem.
Visi cilvēki piedzimst brīvi un vienlīdzīgi savā pašcieņā un tiesībās.
Summa līguma trešajā lappusē nav tā, par kuru mēs vienojāmies.
Vilciens kavējās, un es baidījos nokavēt pēdējo autobusu.""",
    ),
    "Estonian": (
        "cp1257 iso8859-4 iso8859-15",
        """Raamatukogu on esmaspäeviti suletud ja sel nädalal ka teisipäeval.
Vanaema saatis meile kartuleid ja me jagasime neid naabritega, kes rõõmustasid.
Kõik inimesed sünnivad vabadena ja võrdsetena oma väärikuselt ja õigustelt.
Lepingu kolmandal leheküljel olev summa ei ole see, milles kokku leppisime.
Rong jäi hiljaks ja ma kartsin, et ei jõua viimasele bussile.""",
    ),
    "French": (
        WESTERN,
        """La bibliothèque est fermée le lundi, et cette semaine aussi le mardi.
Grand-mère nous a envoyé des pommes de terre que nous avons partagées avec les voisins.
Tous les êtres humains naissent libres et égaux en dignité et en droits.
Le montant à la troisième page du contrat n'est pas celui dont nous étions convenus.
Ma sœur a cru manquer le dernier autobus parce que le train était en retard.""",
    ),
    "German": (
        WESTERN,
        """Die Bücherei ist montags geschlossen und diese Woche auch am Dienstag, heißt es.
Großmutter hat uns Kartoffeln geschickt, die wir mit den Nachbarn geteilt haben, schön.
Alle Menschen sind frei und gleich an Würde und Rechten geboren.
Der Betrag auf der dritten Seite des Vertrags weicht von der Übereinkunft ab.
Der Zug hatte Verspätung, und ich fürchtete, den letzten Bus zu verpassen.""",
    ),
    "Spanish": (
        WESTERN,
        """La biblioteca cierra los lunes y esta semana también el martes por la mañana.
La abuela nos envió patatas y las compartimos con los vecinos del tercer piso, ¿no es así?
Todos los seres humanos nacen libres e iguales en dignidad y derechos, según la declaración.
La cantidad de la tercera página del contrato no es la que acordamos.
El tren llegó tarde y temí perder el último autobús.""",
    ),
    "Portuguese": (
        WESTERN,
        """A biblioteca está fechada às segundas-feiras e esta semana também na terça.
A avó mandou-nos batatas e nós partilhámo-las com os vizinhos do prédio.
Todos os seres humanos nascem livres e iguais em dignidade e em direitos, diz a declaração.
O valor da terceira página do contrato não é aquele que combinámos.
O comboio atrasou-se e receei perder o último autocarro da estação.""",
    ),
    "Swedish": (
        WESTERN,
        """Biblioteket är stängt på måndagar och den här veckan även på tisdag.
Farmor skickade potatis till oss och vi delade den med våra grannar.
Alla människor är födda fria och lika i värde och rättigheter.
Beloppet på tredje sidan i avtalet är inte det som vi kom överens om.
Tåget var försenat och jag var rädd att missa den sista bussen.""",
    ),
    "Danish": (
        WESTERN,
        """Biblioteket holder lukket om mandagen og i denne uge også på tirsdag.
Farmor sendte os kartofler, som vi delte med naboerne på første sal.
Alle mennesker er født frie og lige i værdighed og rettigheder.
Beløbet på tredje side i kontrakten er ikke det, vi blev enige om.
Toget var forsinket, og jeg var bange for ikke at nå den sidste bus.""",
    ),
    "Icelandic": (
        "cp1252 mac-roman iso8859-15 cp850",
        """Bókasafnið er lokað á mánudögum og þessa viku líka á þriðjudaginn.
Amma sendi okkur kartöflur og við deildum þeim með nágrönnunum.
Hver maður er borinn frjáls og jafn öðrum að virðingu og réttindum.
Upphæðin á þriðju síðu samningsins er ekki sú sem við sömdum um.
Lestinni seinkaði og ég óttaðist að missa af síðasta strætisvagninum.""",
    ),
}


@dataclass(frozen=True)
class Case:
    """A text in one of its encodings."""

    language: str
    encoding: str
    text: str
    is_long: bool

    @property
    def data(self) -> bytes:
        return self.text.encode(self.encoding)


def cases() -> Iterator[Case]:
    """Yield the sentences of each language, and all of them together, in each of its encodings."""
    for language, (encodings, lines) in TEXTS.items():
        for encoding in encodings.split():
            sentences = [to_writable(line, encoding) for line in lines.split("\n")]
            for sentence in sentences:
                if not sentence.isascii():
                    yield Case(language, encoding, sentence, is_long=False)
            yield Case(language, encoding, "\n".join(sentences), is_long=True)


def to_writable(text: str, encoding: str) -> str:
    """Return the text as the encoding can write it: Vietnamese tones apart from their vowels, no Icelandic on a Mac."""
    if encoding == "cp1258":
        import unicodedata

        tones = {chr(code) for code in (0x300, 0x301, 0x303, 0x309, 0x323)}
        letters = []
        for char in text:
            parts = unicodedata.normalize("NFD", char)
            tone = "".join(mark for mark in parts if mark in tones)
            rest = unicodedata.normalize("NFC", "".join(mark for mark in parts if mark not in tones))
            letters.append(char if _writable(char, encoding) else rest + tone)
        return "".join(letters)
    return "".join(char for char in text if _writable(char, encoding))


def _writable(char: str, encoding: str) -> bool:
    try:
        char.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True


def _table(name: str, read: Callable[[bytes], tuple[str, float]]) -> None:
    """Print how many texts of each language are read right, and the wrong ones."""
    counts: dict[str, list[int]] = {}
    wrong: list[tuple[float, str]] = []
    start = time.process_time()
    for case in cases():
        text, confidence = read(case.data)
        row = counts.setdefault(case.language, [0, 0, 0, 0])
        row[2 * case.is_long] += text == case.text
        row[2 * case.is_long + 1] += 1
        if text != case.text:
            wrong.append((confidence, f"{case.language} in {case.encoding}: {text[:50]!r}"))
    seconds = time.process_time() - start
    print(f"\n{name}\n{'language':24}{'short':>10}{'long':>10}")
    for language, (short, shorts, long, longs) in counts.items():
        print(f"{language:24}{f'{short}/{shorts}':>10}{f'{long}/{longs}':>10}")
    right, total = sum(row[0] + row[2] for row in counts.values()), sum(row[1] + row[3] for row in counts.values())
    sure = sum(confidence > 0.8 for confidence, _ in wrong)
    print(f"right {right} of {total} ({right / total:.1%}); wrong with confidence above 0.8: {sure}; {seconds:.1f} s")
    for confidence, description in sorted(wrong, reverse=True)[:20]:
        print(f"  {confidence:.2f} {description}")


def main() -> None:
    def ours(data: bytes) -> tuple[str, float]:
        decoded = decode(data)
        return decoded.text, decoded.confidence

    _table("explorer", ours)
    try:
        from charset_normalizer import from_bytes
    except ImportError:
        print("charset-normalizer is not installed; nothing to compare with.")
        return

    def theirs(data: bytes) -> tuple[str, float]:
        best = from_bytes(data).best()
        return ("", 0.0) if best is None else (str(best), 1.0 - best.chaos)

    _table("charset-normalizer", theirs)


if __name__ == "__main__":
    main()

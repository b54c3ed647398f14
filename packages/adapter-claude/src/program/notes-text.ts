/** What a file of instructions says of other files. Pure. */

const LONGEST = 1_024

/** The files that it imports (`@docs/more.md`), as they are written; what stands in code is text. */
export function importsIn(text: string): string[] {
  const prose = text.replace(/^(```|~~~)[\s\S]*?^\1/gm, '').replace(/`[^`\n]*`/g, '')
  return [...prose.matchAll(/(?:^|\s)@([^\s`]+)/g)].flatMap(([, named = '']) => {
    const name = named.replace(/#.*$/, '').replace(/(?<![.,;:!?)\]}'"])[.,;:!?)\]}'"]+$/, '')
    return name === '' || name.length > LONGEST || name.startsWith('~') ? [] : [name]
  })
}

/** A rule that counts only beside certain files (`paths:` in its head). The program adds it when it meets one. */
export function isForSomeFiles(text: string): boolean {
  const [, head = ''] = /^---\r?\n([\s\S]*?)\r?\n---/.exec(text) ?? []
  return /^paths\s*:/m.test(head)
}

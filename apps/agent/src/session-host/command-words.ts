/** The words of a command, as far as they may name files. */

/** What a command may name as a file: it whole, and each of its words. */
export function wordsOf(input: unknown): string[] {
  const command = typeof input === 'object' && input !== null ? (input as { command?: unknown }).command : undefined
  const parts = Array.isArray(command) ? command.filter((part) => typeof part === 'string') : [command]
  return parts
    .flatMap((part) => (typeof part === 'string' ? [part, ...part.split(/[\s'"`;|&<>()$={}]+/)] : []))
    .filter(isName)
}

/** Of a length that a kernel takes. */
export function isName(word: string): boolean {
  return word !== '' && word.length <= 4_096 && !word.includes('\0')
}

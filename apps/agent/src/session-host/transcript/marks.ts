/** The part of an output or an event that is compared when a log and a program's record are aligned (RES-6, RES-9). */

/** Only groups that the transcript keeps are compared. */
export interface Mark {
  group: string
  key: string
  /** A prompt that its program may have carried out as a command, without telling its model. */
  isCommand?: true
}

/** What a person said. The log records it itself. */
export const promptGroup = 'user_message'
export const compactionGroup = 'system conversation_compacted'

export const isPromptMark = ({ group }: Mark): boolean => group === promptGroup
export const isCompaction = (mark: Mark | undefined): boolean => mark?.group === compactionGroup

export const textOf = ({ group, key }: Mark): string => `${group} ${key}`

/** Members that occur exactly once. `among` limits them to these. */
export function onceIn(texts: readonly string[], among?: ReadonlySet<string>): Set<string> {
  const count = new Map<string, number>()
  for (const text of texts) count.set(text, (count.get(text) ?? 0) + 1)
  return new Set([...count].flatMap(([text, times]) => (times === 1 && (among?.has(text) ?? true) ? [text] : [])))
}

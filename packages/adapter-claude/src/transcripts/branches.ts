/**
 * Where the record of a conversation forks. Each of its lines names the one that it follows; of two programs that write at
 * once neither knows the lines of the other, and the next one goes on from whichever line is the last.
 *
 *   p1 ◄─ a1 ◄─ p2 ◄─ a2
 *          ▲
 *          └─── p3          p3 is behind a2 in the file and leaves it out
 */
import { type Frame, recordAt, recordsAt, textAt } from '../wire/frames'

export class Branches {
  private readonly before = new Map<string, string | undefined>()
  private answer: string | undefined

  /** To be told of every line, in the order of the file. */
  add(line: Frame): void {
    const id = textAt(line, 'uuid')
    if (id === undefined) return
    this.before.set(id, followed(line))
    if (isAnswer(line)) this.answer = id
  }

  /** Whether the model of this prompt does not know the answer that stands before it. Not where a line is missing. */
  forksAt(prompt: Frame): boolean {
    if (this.answer === undefined) return false
    let at = followed(prompt)
    const passed = new Set<string>()
    while (at !== undefined && at !== this.answer) {
      // A damaged record may lead in a circle.
      if (!this.before.has(at) || passed.has(at)) return false
      passed.add(at)
      at = this.before.get(at)
    }
    return at === undefined && followed(prompt) !== undefined
  }
}

/** A compaction begins a chain of its own, and names what it followed all the same. */
const followed = (line: Frame): string | undefined => textAt(line, 'logicalParentUuid') ?? textAt(line, 'parentUuid')

/** Said by a model, and not by the program in its place. */
function isAnswer(line: Frame): boolean {
  if (line.type !== 'assistant' || line.isSidechain === true) return false
  const message = recordAt(line, 'message')
  return textAt(message, 'model') !== '<synthetic>' && recordsAt(message, 'content').some(({ type }) => type === 'text')
}

/**
 * A program's record in the order of our log, where the two tell the same in another one. Pure. The log has a prompt from the
 * moment on in which it was given; the program writes it down when it begins with it, behind what it did before:
 *
 *   a shortened conversation    log  p | compaction     record  compaction | p
 *   a turn of its own (LOG-7)   log  p | a b | c        record  a b | p | c
 */
import { isCompaction, isPromptMark, type Mark, onceIn, textOf } from './marks'

export function inOurOrder<T extends { mark: Mark }>(ours: readonly Mark[], theirs: readonly T[]): T[] {
  return beforeOwnTurns(ours, beforeCompactions(ours, theirs))
}

function beforeCompactions<T extends { mark: Mark }>(ours: readonly Mark[], theirs: readonly T[]): T[] {
  const turned = new Set(ours.flatMap((mark, at) => (isCompaction(ours[at + 1]) ? [textOf(mark)] : [])))
  const kept = [...theirs]
  for (const [at, one] of theirs.entries()) {
    const next = theirs[at + 1]
    if (!isCompaction(one.mark) || !next || !isPromptMark(next.mark) || !turned.has(textOf(next.mark))) continue
    kept[at] = next
    kept[at + 1] = one
  }
  return kept
}

function beforeOwnTurns<T extends { mark: Mark }>(ours: readonly Mark[], theirs: readonly T[]): T[] {
  const texts = ours.map(textOf)
  const once = onceIn(texts, onceIn(theirs.map(({ mark }) => textOf(mark))))
  let kept = [...theirs]
  for (const [at, prompt] of theirs.entries()) {
    const text = textOf(prompt.mark)
    if (!isPromptMark(prompt.mark) || !once.has(text)) continue
    const here = texts.indexOf(text)
    const before = texts[here - 1]
    if (before === undefined || !once.has(before)) continue
    const from = kept.findIndex(({ mark }) => textOf(mark) === before) + 1
    const between = kept.slice(from, at)
    const follows = texts.slice(here + 1, here + 1 + between.length)
    const isOwnTurn =
      from > 0 &&
      follows.length > 0 &&
      follows.every((one, n) => between[n] && textOf(between[n].mark) === one) &&
      !between.some(({ mark }) => isPromptMark(mark))
    if (isOwnTurn) kept = [...kept.slice(0, from), prompt, ...between, ...kept.slice(at + 1)]
  }
  return kept
}

/**
 * Reorders a program's record to match our log. Pure. The log records a prompt when it was given; the program records
 * it when it begins with it, after what it did before:
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
  const kept = theirs.map((one) => ({ one, text: textOf(one.mark), isPrompt: isPromptMark(one.mark) }))
  const once = onceIn(texts, onceIn(kept.map(({ text }) => text)))
  const places = new Map(texts.map((text, at) => [text, at]))
  for (const [at, prompt] of [...kept.entries()]) {
    if (!prompt.isPrompt || !once.has(prompt.text)) continue
    const here = places.get(prompt.text) ?? 0
    const before = texts[here - 1]
    if (before === undefined || !once.has(before)) continue
    let from = at
    while (from > 0 && kept[from - 1]?.text !== before && !kept[from - 1]?.isPrompt) from -= 1
    const between = kept.slice(from, at)
    const follows = texts.slice(here + 1, here + 1 + between.length)
    const isOwnTurn =
      kept[from - 1]?.text === before && follows.length > 0 && follows.every((text, n) => text === between[n]?.text)
    if (isOwnTurn) kept.splice(from, between.length + 1, prompt, ...between)
  }
  return kept.map(({ one }) => one)
}

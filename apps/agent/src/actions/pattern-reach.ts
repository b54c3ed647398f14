/**
 * Which protected places a pattern such as `logs/*.txt` can match. A pattern matches entries of the folder before its first
 * wildcard, and everything below them; without `..` it never leaves that folder. Links inside the folder:
 * `followed-links.ts`.
 */
import path from 'node:path'
import { isInside } from '../files/is-inside'
import { realPathOf } from './named-paths'
import { ANY, ONE } from './shell-meaning'

/** `inside`: a shell puts in the place, or what lies in it. `may`: some program could. `holds`: a folder around it. */
export type Reach = 'none' | 'holds' | 'may' | 'inside'

export function reachOf(pattern: string, folder: string, place: string): Reach {
  const steps = (pattern.startsWith('/') ? pattern : `${folder}/${pattern}`)
    .split('/')
    .filter((step) => step !== '' && step !== '.')
  const first = steps.findIndex(isSign)
  const fixed = realPathOf(`/${steps.slice(0, first).join('/')}`)
  const rest = steps.slice(first)
  if (isInside(fixed, place)) return 'inside'
  if (rest.includes('..')) return 'may'
  if (!isInside(place, fixed)) return 'none'
  return reachBelow(rest, path.relative(fixed, place).split('/'))
}

function reachBelow(pattern: readonly string[], place: readonly string[]): Reach {
  let certain = true
  for (const [index, step] of place.entries()) {
    const sign = pattern[index]
    if (sign === undefined) return 'holds'
    if (sign.includes(ANY + ANY)) return 'may'
    if (!matches(sign, step)) return 'none'
    // A shell wants the first dot written out.
    certain &&= !step.startsWith('.') || sign.startsWith('.')
  }
  return certain ? 'inside' : 'may'
}

export const isSign = (step: string): boolean => step.includes(ANY) || step.includes(ONE)

/** Step by step with one way back, so that no pattern takes long. */
export function matches(pattern: string, name: string): boolean {
  let [at, from, back, mark] = [0, 0, -1, 0]
  while (from < name.length) {
    if (pattern[at] === ANY) {
      back = at++
      mark = from
    } else if (at < pattern.length && (pattern[at] === ONE || pattern[at] === name[from])) {
      at += 1
      from += 1
    } else if (back >= 0) {
      at = back + 1
      from = ++mark
    } else return false
  }
  while (pattern[at] === ANY) at += 1
  return at === pattern.length
}

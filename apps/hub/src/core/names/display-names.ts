/**
 * Names are all that people see of who did something, so a name must not resemble another person's name, a role or the
 * hub (AUTH-3). Pure.
 */
import { CodedError, channelNames, Role } from '@roundhouse/backend-types'
import { skeletonOf } from './look-alikes'

const ofHub = new Set(['hub', 'roundhouse'].map(skeletonOf))
/** No word of a name may look like one of these. */
const words = new Set([...[...Role.options, 'administrator'].map(skeletonOf), ...ofHub])
/** No name may look like one of these, which the log and the pages print in place of a name. */
const whole = new Set(
  [
    'machine',
    'system',
    'stranger',
    'agent',
    'nobody',
    'somebody',
    'somebody unknown',
    'you',
    'policy',
    'program',
    'model',
  ]
    .flatMap((name) => [name, `the ${name}`])
    .map(skeletonOf),
)

/** Brackets after a person's name contain the name of a token, and an id contains a colon. */
const signs = /[()[\]{}<>:]/
/** A plain space replaces spaces of any width. Other invisible characters are refused. */
const unseen = /[^\P{C}]|[\u115f\u1160\u3164\uffa0\u2800\p{Zl}\p{Zp}]/u

/** The name as stored. `others`: the names of all other people. Throws `NAME_NOT_ALLOWED`. */
export function requireOwnName(said: string, others: readonly string[]): string {
  const name = requirePlainName(said)
  const skeleton = skeletonOf(name)
  if (wordsOf(name).some((word) => words.has(word)) || whole.has(skeleton))
    throw refused(`${roleIn(name)} looks like a role, or like the hub.`)
  if (others.some((other) => skeletonOf(other) === skeleton))
    throw refused('It looks like the name of somebody else here.')
  return name
}

const wordsOf = (name: string): string[] => [
  ...name.split(/[^\p{L}\p{N}\p{M}|]+/u).map(skeletonOf),
  skeletonOf(name.replace(/^the/i, '')),
]

/** The refused word, if the name has several. */
function roleIn(name: string): string {
  const word = name.split(' ').find((one) => one !== name && words.has(skeletonOf(one)))
  return word === undefined ? 'It' : `“${word}”`
}

/**
 * For the name of a person or a token: it must be readable and must not close a bracket that the hub opened. Throws
 * `NAME_NOT_ALLOWED`.
 */
export function requirePlainName(said: string): string {
  if (unseen.test(said)) throw refused('It has a character that cannot be seen.')
  const name = said
    .normalize('NFKC')
    .replace(/\p{Zs}+/gu, ' ')
    .trim()
  if (signs.test(name)) throw refused('A name has no brackets and no colon.')
  if (skeletonOf(name) === '') throw refused('A name has at least one letter or digit.')
  if (name.split(' ').some(isMixed)) throw refused('A word mixes letters of two alphabets.')
  return name
}

const channels = new Set(Object.values(channelNames).map(skeletonOf))

/** For the name of a program's token: none is shown as a chat of its person is (CHAN-3.5). Throws `NAME_NOT_ALLOWED`. */
export function requireTokenName(said: string): string {
  const name = requirePlainName(said)
  if (channels.has(skeletonOf(name))) throw refused('It looks like a chat of yours.')
  return name
}

/** For what a program calls itself (BUS-14). It stands beside the name of its person, so only the hub is spared. Throws `NAME_NOT_ALLOWED`. */
export function requireClaimedName(said: string): string {
  const name = requirePlainName(said)
  if (wordsOf(name).some((word) => ofHub.has(word))) throw refused('It looks like the hub.')
  return name
}

const isMixed = (word: string) => /\p{Script=Latin}/u.test(word) && /(?!\p{Script=Latin})\p{L}/u.test(word)

const refused = (why: string) => new CodedError('NAME_NOT_ALLOWED', `Choose another name. ${why}`)

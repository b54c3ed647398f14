/**
 * What peers are called on the bus. The hub's own words come first and a program's claim stands within them, so that no program
 * passes for a person, for the hub or for another program (BUS-14). Pure.
 */
import type { Actor } from '../access/access'
import type { PeerRow } from '../ports/bus-store'
import { requireClaimedName } from './display-names'

/** The longest `PeerName`. */
const MOST = 128

/**
 * `Ana (ci: reviewer)` where the program with Ana's token `ci` calls itself `reviewer`. A person is nobody else, whatever their
 * program says. Throws `NAME_NOT_ALLOWED`.
 */
export function nameOfPeer({ name, credential }: Pick<Actor, 'name' | 'credential'>, claim?: string): string {
  const claimed = claim === undefined ? '' : requireClaimedName(claim)
  if (claimed === '' || credential.kind !== 'token') return cut(name, MOST)
  const known = name.slice(0, -')'.length)
  const room = MOST - known.length - ': )'.length
  return room < 1 ? cut(name, MOST) : `${known}: ${cut(claimed, room)})`
}

/** That name, with whatever claim: it is still this person and this token. */
export const isNameOf = ({ name }: Pick<Actor, 'name'>, known: string): boolean =>
  known === cut(name, MOST) || known.startsWith(`${name.slice(0, -')'.length)}: `)

/** A title may be anybody's words. */
export const spokenName = ({ kind, name }: Pick<PeerRow, 'kind' | 'name'>): string =>
  kind === 'session' ? `session “${cut(name, MOST - 'session “”'.length)}”` : name

/** No half of a character stays. */
const cut = (text: string, most: number): string => text.slice(0, most).replace(/[\ud800-\udbff]$/, '')

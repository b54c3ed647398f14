/** The pages of the rail, a row each. Links, the palette, the moves by `g` and the list of shortcuts derive from it. */
import type { Action } from '@roundhouse/backend-types'
import { Inbox, ListTree, type LucideIcon, Network, Server, Users } from 'lucide-react'

export interface ShellPlace {
  href: string
  label: string
  icon: LucideIcon
  /** Opens the page after `g`. */
  letter: string
  /** Only people who may do this are shown the page, on a phone under More. */
  requires?: Action
}

export const places: readonly ShellPlace[] = [
  { href: '/', label: 'Inbox', icon: Inbox, letter: 'i' },
  { href: '/sessions', label: 'Sessions', icon: ListTree, letter: 's' },
  { href: '/fleet', label: 'Fleet', icon: Network, letter: 'f' },
  { href: '/agents', label: 'Machines', icon: Server, letter: 'a' },
  { href: '/people', label: 'People', icon: Users, letter: 'p', requires: 'user.manage' },
]

/** Machines of links with one cell wrong. */
import { type LinkEffect, type LinkEvent, LinkState } from '../index'
import type { Kernel } from './kernel'
import type { Mutant } from './mutants'

/** The same machine, but it does not hear some of it. */
function link(hears: (event: LinkEvent) => boolean): Partial<Kernel> {
  return {
    makeLink: (...args) =>
      new (class extends LinkState {
        override hear(event: LinkEvent, now: number): LinkEffect[] {
          return hears(event) ? super.hear(event, now) : []
        }
      })(...args),
  }
}

export const linkMutants: readonly Mutant[] = [
  {
    what: 'an agent does not hear that a log has grown',
    breaks: 'I11',
    foundBy: 1,
    change: link(({ kind }) => kind !== 'appended'),
  },
  {
    what: 'an agent reports no session again after its pause',
    breaks: 'I11',
    foundBy: 2,
    change: link(({ kind }) => kind !== 'restOver'),
  },
  {
    what: 'an agent sends nothing more after a pause of the hub',
    breaks: 'I11',
    foundBy: 564,
    change: link(({ kind }) => kind !== 'holdOver'),
  },
  {
    what: 'an agent does not hear that a log was moved',
    breaks: 'I11',
    foundBy: 2,
    change: link(({ kind }) => kind !== 'moved'),
  },
  {
    what: 'an agent does not hear that a log could not be moved',
    breaks: 'I11',
    foundBy: 2,
    change: link(({ kind }) => kind !== 'notMoved'),
  },
  {
    what: 'an agent keeps a connection on which the hub is silent',
    breaks: 'I11',
    foundBy: 8,
    change: link((event) => event.kind !== 'failed' || event.reason !== 'the hub stopped answering'),
  },
  {
    what: 'an agent waits for a welcome for ever',
    breaks: 'I11',
    foundBy: 45,
    change: link(({ kind }) => kind !== 'welcomeOverdue'),
  },
]

/** Machines of viewers with one cell wrong. */
import type { ViewerEffect, ViewerEvent, ViewerRules, ViewerSync } from '../index'
import { type Kernel, kernel } from './kernel'
import type { Mutant } from './mutants'

/** The same machine, but what it hears, or what it asks for then, is another. */
function viewer(
  hears: (event: ViewerEvent, sync: ViewerSync) => ViewerEvent,
  asks: (effect: ViewerEffect, event: ViewerEvent, sync: ViewerSync) => boolean = () => true,
): Partial<Kernel> {
  return {
    viewerStep: (sync: ViewerSync, event: ViewerEvent, rules: ViewerRules) => {
      const step = kernel.viewerStep(sync, hears(event, sync), rules)
      return { ...step, effects: step.effects.filter((effect) => asks(effect, event, sync)) }
    },
  }
}

export const viewerMutants: readonly Mutant[] = [
  {
    what: 'a viewer that is connected again does not ask for its room',
    breaks: 'I11',
    foundBy: 2,
    change: viewer(
      (event) => event,
      (effect, { kind }) => kind !== 'connected' || effect.do !== 'watch',
    ),
  },
  {
    what: 'a viewer too far behind keeps its page',
    breaks: 'I11',
    foundBy: 52,
    change: viewer((event, sync) => {
      if (event.kind !== 'watchAnswered' || event.reply.hubEpoch !== sync.page?.cursor.hubEpoch) return event
      return { ...event, reply: { ...event.reply, tooFar: false } }
    }),
  },
  {
    what: 'a viewer trusts a cursor of another epoch',
    breaks: 'I11',
    foundBy: 15,
    change: viewer((event, sync) => {
      if (event.kind !== 'watchAnswered' || !sync.page) return event
      return { ...event, reply: { ...event.reply, tooFar: false, hubEpoch: sync.page.cursor.hubEpoch } }
    }),
  },
  {
    what: 'a viewer does not ask again after a failure',
    breaks: 'I11',
    foundBy: 1,
    change: viewer(
      (event) => event,
      (effect, { kind }) => effect.do !== 'wait' || kind === 'blockFailed',
    ),
  },
  {
    what: 'a viewer stops behind the first page of a missing range',
    breaks: 'I11',
    foundBy: 1,
    change: viewer(
      (event) => event,
      (effect, { kind }) => kind !== 'rangeFetched' || effect.do !== 'fetchRange',
    ),
  },
  {
    what: 'a viewer shows an older view after a newer one',
    breaks: 'SES-5',
    foundBy: 5,
    change: {
      viewerStep: (sync, event, rules) => {
        const forgets = event.kind === 'viewCame' && sync.phase === 'watching'
        const before: ViewerSync = forgets ? { ...sync, page: { ...sync.page, viewRev: -1 } } : sync
        return kernel.viewerStep(before, event, rules)
      },
    },
  },
]

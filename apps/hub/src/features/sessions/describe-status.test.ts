import { expect, it } from 'vitest'
import { type Described, describeStatus } from './describe-status'
import { adviceOn } from './status-advice'

const away: Described = { status: { status: 'running' }, unreachableSince: 1_000 }

it('[LOG-7.4] a machine that is away is said to be offline, and since when', () => {
  expect(describeStatus(away, 181_000).label).toBe('Machine offline for 3 min')
  expect(adviceOn(away)).toContain('The machine is not connected.')
})

it('nothing is said of a machine while it is the hub that is gone', () => {
  expect(describeStatus({ ...away, hubAway: true }, 181_000)).toEqual({ label: 'Reconnecting', tone: 'quiet' })
  expect(adviceOn({ ...away, hubAway: true })).toBeUndefined()
  const { unreachableSince: _, ...connected } = away
  expect(describeStatus({ ...connected, hubAway: true }, 1_000).label).toBe('Working')
})

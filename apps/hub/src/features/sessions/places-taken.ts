import type { CommandView } from '@roundhouse/backend-types'

/** Says why a prompt that waits for a place has not started, and what a person can do about it. */
export const placesTaken = ({ running, limit }: NonNullable<CommandView['waits']>, machine: string) =>
  `waiting: ${running} of ${limit} ${limit === 1 ? 'program is' : 'programs are'} running on ${machine}. Stop one, or raise limits.runningSessions`

/**
 * An id that no other test has: the processes of a session are found, and ended, by its id alone over the whole machine, and
 * files of tests run side by side.
 */
import { randomBytes } from 'node:crypto'

export const sessionName = (name: string): string => `${name}-${randomBytes(4).toString('hex')}`

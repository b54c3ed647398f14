/**
 * Tells the next host of a session not to resume by itself (RES-3). Either a person stopped the session while no host ran or
 * while its host did not answer, or the daemon gave up because the session's hosts kept dying.
 */
import { existsSync, rmSync } from 'node:fs'
import { readOwnFile } from '@roundhouse/owner'
import { writeDurably } from '../files/write-durably'
import { sessionFiles } from './paths'

export type Stop = 'by_person' | 'given_up'

/** A disk that refuses must not keep anybody from stopping. */
export const markStopped = (sessionDir: string): void => mark(sessionDir, 'by_person')

/** What a person said counts more. */
export function markGivenUp(sessionDir: string): void {
  if (stopIn(sessionDir) === null) mark(sessionDir, 'given_up')
}

function mark(sessionDir: string, stop: Stop): void {
  try {
    writeDurably(sessionFiles(sessionDir).stopped, stop)
  } catch (error) {
    console.error('cannot record that the session was stopped', error)
  }
}

/** A mark that cannot be read, or of an earlier release, is a person's. */
export function stopIn(sessionDir: string): Stop | null {
  const file = sessionFiles(sessionDir).stopped
  if (!existsSync(file)) return null
  try {
    return readOwnFile(file) === 'given_up' ? 'given_up' : 'by_person'
  } catch {
    return 'by_person'
  }
}

/** The log says it now. */
export const clearStopped = (sessionDir: string): void => rmSync(sessionFiles(sessionDir).stopped, { force: true })

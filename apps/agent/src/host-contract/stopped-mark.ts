/**
 * Tells the next host of a session that a person stopped it (RES-3): where the host before could not be told, since it did
 * not answer, or where none ran.
 */
import { existsSync, rmSync } from 'node:fs'
import { writeDurably } from '../files/write-durably'
import { sessionFiles } from './paths'

/** A disk that refuses must not keep anybody from stopping. */
export function markStopped(sessionDir: string): void {
  try {
    writeDurably(sessionFiles(sessionDir).stopped, '')
  } catch (error) {
    console.error('that the session was stopped could not be written', error)
  }
}

export const isMarkedStopped = (sessionDir: string): boolean => existsSync(sessionFiles(sessionDir).stopped)

/** The log says it now. */
export const clearStopped = (sessionDir: string): void => rmSync(sessionFiles(sessionDir).stopped, { force: true })

// Small facts about processes and the files they write about themselves.
import { existsSync, readFileSync } from 'node:fs'

export const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

/** Null when the file is absent, or just now being written. */
export function readJson(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return null
  }
}

export function isAlive(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}

/** The last lines that a service wrote, for the person who has to know why it did not start. */
export function tailOf(file, lines = 12) {
  if (!existsSync(file)) return ''
  return readFileSync(file, 'utf8').trimEnd().split('\n').slice(-lines).join('\n')
}

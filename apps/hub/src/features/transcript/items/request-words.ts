/** The line of the transcript for what a program asked of its tree of sessions. Its values are the program's own. */
import type { SessionEventOf } from '@roundhouse/backend-types'
import type { Marker } from './items'

const LONGEST = 400

export function requestWords({ verb, input }: SessionEventOf<'session_request'>): Marker {
  const text = (key: string) => {
    const value = input[key]
    return typeof value === 'string' ? value.slice(0, LONGEST) : ''
  }
  const at = text('machine') ? ` on ${text('machine')}` : ''
  if (verb === 'spawn')
    return { tone: 'quiet', text: `Asks for another session${at}: ${text('title') || text('prompt')}` }
  if (verb === 'send') return { tone: 'quiet', text: `Writes to session ${text('sessionId')}: ${text('text')}` }
  if (verb === 'read') return { tone: 'quiet', text: `Reads session ${text('sessionId') || 'facts of its own'}` }
  if (verb === 'wait') return { tone: 'quiet', text: 'Waits for other sessions' }
  return { tone: 'quiet', text: `Asks the hub: ${verb}` }
}

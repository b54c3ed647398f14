/** The line of the transcript for what a program said on the bus. Its values are the program's own, so each is checked. */
import type { SessionEventOf } from '@roundhouse/backend-types'
import type { Marker } from './items'

const LONGEST = 400

export function publishedWords({ topic, schema, data }: SessionEventOf<'published'>): Marker {
  const text = (key: string) => {
    const value = data[key]
    return typeof value === 'string' ? value.slice(0, LONGEST) : ''
  }
  if (schema === 'worker-phase-v1') return { tone: 'quiet', text: `Phase ${text('phase')}` }
  if (schema === 'worker-complete-v1') return { tone: 'done', text: `Completed: ${text('summary')}` }
  if (schema !== 'worker-event-v1') return { tone: 'quiet', text: `Published on ${topic}` }
  const asks = ['BLOCKED', 'REQUEST', 'ERROR'].includes(text('kind'))
  return { tone: asks ? 'needs' : 'quiet', text: `${text('kind')}: ${text('message')}` }
}

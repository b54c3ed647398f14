/** The line of the transcript for the notes of a role (POL-6). Its data is what a machine said, of any version. Pure. */
import { shortBytes } from '../../../ui/text/bytes'
import type { Marker } from './items'

export function roleNotesMarker({ roleId, notes, leftOut, problem }: Record<string, unknown>): Marker {
  const role = `the role ${roleId}`
  if (typeof problem === 'string') {
    return { tone: 'needs', text: `The program runs without notes of ${role}. ${problem}` }
  }
  const used = recordsIn(notes).map(
    ({ name, bytes, cut }) => `${name} (${shortBytes(Number(bytes))}${cut ? ', cut' : ''})`,
  )
  const text =
    used.length > 0
      ? `The program got notes of ${role}: ${used.join(', ')}`
      : `The program got no notes of ${role}: there are none`
  const detail = recordsIn(leftOut).map(({ name, why }) => `${name}: ${why}`)
  return { tone: 'quiet', text, ...(detail.length > 0 ? { detail: `Left out:\n${detail.join('\n')}` } : {}) }
}

const recordsIn = (list: unknown): Array<Record<string, unknown>> =>
  Array.isArray(list) ? list.filter((one) => typeof one === 'object' && one !== null) : []

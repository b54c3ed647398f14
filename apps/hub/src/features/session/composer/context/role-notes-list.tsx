import { RoleNotes } from '@roundhouse/backend-types'
import { shortBytes } from '../../../../ui/text/bytes'
import { PlainText } from '../../../../ui/text/plain-text'

/** Which notes the latest program got, and which it did not. */
export function RoleNotesList({ data }: { data: unknown }) {
  const read = RoleNotes.safeParse(data)
  if (!read.success) return <p className="text-ink-3">No program of this session has started with them lately.</p>
  const { notes, leftOut, problem } = read.data
  if (problem !== undefined) return <p className="text-needs">{problem}</p>
  return (
    <>
      {notes.length === 0 ? <p className="text-ink-3">There are none.</p> : null}
      <ul className="space-y-1">
        {notes.map(({ name, bytes, cut }) => (
          <li key={name} className="flex justify-between gap-4">
            <span className="min-w-0 font-mono text-xs [overflow-wrap:anywhere]">
              <PlainText>{name}</PlainText>
            </span>
            <span className="shrink-0 text-ink-3 text-xs tabular-nums">
              {shortBytes(bytes)}
              {cut ? ', cut' : ''}
            </span>
          </li>
        ))}
        {leftOut.map(({ name, why }) => (
          <li key={name} className="text-ink-3 text-xs [overflow-wrap:anywhere]">
            Left out: <PlainText>{`${name}, ${why}`}</PlainText>
          </li>
        ))}
      </ul>
    </>
  )
}

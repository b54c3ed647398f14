import { Fragment } from 'react'
import { codePieces, oddNote } from './odd-text'
import { PlainText } from './plain-text'

const titles = {
  lookalike: 'looks like another character',
  space: 'no ordinary space',
  trailing: 'at the end of the line',
} as const

/** A command or a file name, with look-alike characters marked in place. */
export function CodeText({ children }: { children: string }) {
  return codePieces(children).map((piece, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: pieces have no identity but their place
    <Fragment key={index}>
      {piece.kind === 'text' ? (
        piece.text
      ) : piece.kind === 'hidden' ? (
        <PlainText>{piece.text}</PlainText>
      ) : (
        <mark
          title={`${piece.label}: ${titles[piece.kind]}`}
          className="rounded bg-needs-soft px-px text-needs underline"
        >
          {piece.kind === 'lookalike' ? piece.text : <span className="mx-px text-[0.7em]">{piece.label}</span>}
        </mark>
      )}
    </Fragment>
  ))
}

/** One line that says what was marked in these. */
export function OddNote({ texts }: { texts: readonly string[] }) {
  const note = oddNote(texts)
  return note === null ? null : (
    <p data-testid="odd-note" className="text-needs text-xs">
      {note}
    </p>
  )
}

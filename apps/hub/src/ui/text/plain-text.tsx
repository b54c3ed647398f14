import { Fragment } from 'react'
import { piecesOf } from './visible-text'

/** Foreign text, inert, with every invisible character shown as a mark. */
export function PlainText({ children }: { children: string }) {
  return piecesOf(children).map((piece, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: pieces have no identity but their place
    <Fragment key={index}>
      {piece.kind === 'text' ? (
        piece.text
      ) : (
        <mark
          title="an invisible character"
          className="mx-px rounded bg-needs-soft px-1 font-mono text-[0.7em] text-needs"
        >
          {piece.label}
        </mark>
      )}
    </Fragment>
  ))
}

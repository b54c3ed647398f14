'use client'
import { PlainText } from '../../../ui/text/plain-text'
import { AnsiText } from '../text/ansi-text'
import { LongText } from '../text/long-text'
import type { ToolState } from './items'
import { outputText } from './output-text'

/** The output of a call that was stopped or ran in the background; the text that the model was told is separate. */
export function OutputBeside({ tool }: { tool: ToolState }) {
  const { callId, state, beside, output, toModel, refused } = tool
  const { message, output: printed, outputCut } = beside?.end ?? {}
  const text = printed ?? outputText(output)
  return (
    <div className="space-y-2">
      {state === 'interrupted' ? <p className="text-ink-3 text-xs">It ended with the program.</p> : null}
      {state === 'stopped' && !refused ? <p className="text-ink-3 text-xs">Stopped before it was done.</p> : null}
      {message ? (
        <p className="text-failed text-sm [overflow-wrap:anywhere]">
          <PlainText>{message}</PlainText>
        </p>
      ) : null}
      {outputCut ? <p className="text-ink-3 text-xs">Only the end of the output is kept.</p> : null}
      {text.trim() === '' ? null : <AnsiText text={text} failed={state === 'failed'} keep={callId} />}
      {toModel ? <ToModel text={toModel} keep={callId} /> : null}
    </div>
  )
}

function ToModel({ text, keep }: { text: string; keep: string }) {
  return (
    <details className="text-ink-3 text-xs">
      <summary>What the model read</summary>
      <div className="mt-1">
        <LongText text={text} label="What the model read" keep={`${keep}-model`} />
      </div>
    </details>
  )
}

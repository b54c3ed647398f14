import { PlainText } from '../../../ui/text/plain-text'

/** Shows the first prompt of a session that never began, so that nobody has to write it again. */
export function UnrunPrompt({ text }: { text: string }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset has looks of its own
    <div role="group" aria-label="Not sent" className="rounded-lg border border-line bg-surface px-3 py-2 text-sm">
      <p className="text-ink-3 text-xs">Not sent</p>
      <p className="mt-0.5 max-h-[30dvh] overflow-y-auto whitespace-pre-wrap [overflow-wrap:anywhere]">
        <PlainText>{text}</PlainText>
      </p>
    </div>
  )
}

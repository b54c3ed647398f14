import { PlainText } from '../text/plain-text'
import { CopyButton } from './copy-button'

/** A command that a person runs elsewhere. */
export function CommandLine({ command }: { command: string }) {
  return (
    <div className="flex w-full items-center gap-2 rounded-md border border-line bg-surface py-1.5 pr-1.5 pl-2.5">
      <code data-testid="command" className="min-w-0 flex-1 select-all font-mono text-xs [overflow-wrap:anywhere]">
        <PlainText>{command}</PlainText>
      </code>
      <CopyButton text={command} />
    </div>
  )
}

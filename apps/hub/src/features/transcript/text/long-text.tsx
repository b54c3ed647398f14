'use client'
import { Button } from '../../../ui/forms/button'
import { CopyButton } from '../../../ui/forms/copy-button'
import { useKept } from '../../../ui/kept-state'
import { ScrollRegion } from '../../../ui/scroll-region'
import { useFolded } from '../../../ui/seen-whole'
import { shortBytes } from '../../../ui/text/bytes'
import { CodeText } from '../../../ui/text/code-text'
import { PlainText } from '../../../ui/text/plain-text'

const SHORT_LINES = 12
const SHORT_CHARACTERS = 1_200

interface LongTextProps {
  text: string
  label: string
  complete?: boolean
  /** For a command or an input: look-alike characters are marked. */
  code?: boolean
  keep: string
}

/** Folds long text; the fold says what it hides. */
export function LongText({ text, label, complete = false, code = false, keep }: LongTextProps) {
  const [open, setOpen] = useKept(`${keep}-${label}`, false)
  const lines = text.split('\n')
  const long = lines.length > SHORT_LINES || text.length > SHORT_CHARACTERS
  useFolded(`${keep}-${label}`, complete && long && !open)
  const shown = long && !open ? lines.slice(0, SHORT_LINES).join('\n').slice(0, SHORT_CHARACTERS) : text
  return (
    <div className="group/long relative">
      <ScrollRegion label={label} className="bg-sunken">
        {code ? <CodeText>{shown}</CodeText> : <PlainText>{shown}</PlainText>}
      </ScrollRegion>
      {complete ? null : <CopyButton corner text={text} />}
      {long ? (
        <Button
          size="sm"
          look={complete && !open ? 'soft' : 'plain'}
          className="mt-1"
          data-unfolds={open ? undefined : ''}
          onClick={() => setOpen(!open)}
        >
          {open
            ? 'Show less'
            : `Show all: ${lines.length} ${lines.length === 1 ? 'line' : 'lines'}, ${shortBytes(text.length)}`}
        </Button>
      ) : null}
    </div>
  )
}

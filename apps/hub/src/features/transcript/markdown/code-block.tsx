'use client'
import { useEffect, useState } from 'react'
import { CopyButton } from '../../../ui/forms/copy-button'
import { type CodeLine, highlight } from './highlight'

/** A fenced block: its language, its colours once they have loaded, and a copy button. */
export function FencedCode({ code, language }: { code: string; language: string }) {
  const [lines, setLines] = useState<CodeLine[] | null>(null)
  useEffect(() => {
    let current = true
    void highlight(code, language).then((result) => current && setLines(result))
    return () => {
      current = false
    }
  }, [code, language])
  return (
    <div className="my-3 overflow-hidden rounded-md border border-line">
      <div className="flex min-h-8 items-center justify-between border-line border-b bg-sunken pr-1 pl-3 text-ink-3 text-xs">
        {language}
        <CopyButton text={code} />
      </div>
      <pre className="overflow-x-auto bg-surface px-3 py-2 font-mono text-xs leading-5">
        <code>{lines ? lines.map((line) => <CodeLineView key={line.number} line={line} />) : code}</code>
      </pre>
    </div>
  )
}

function CodeLineView({ line }: { line: CodeLine }) {
  return (
    <span className="block min-h-5">
      {line.tokens.map((token) => (
        <span key={token.offset} className={token.look}>
          {token.text}
        </span>
      ))}
    </span>
  )
}

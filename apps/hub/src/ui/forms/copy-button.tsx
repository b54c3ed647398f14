'use client'
import { clsx } from 'clsx'
import { Check, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Button } from './button'

interface CopyButtonProps {
  text: string
  label?: string
  /** Only a sign in the upper right corner of a box, shown while the box is pointed at or the sign has the focus. */
  corner?: boolean
}

export function CopyButton({ text, label = 'Copy', corner = false }: CopyButtonProps) {
  const [state, setState] = useState<'ready' | 'copied' | 'failed'>('ready')
  useEffect(() => {
    if (state === 'ready') return
    const timer = setTimeout(() => setState('ready'), 1_500)
    return () => clearTimeout(timer)
  }, [state])
  const copy = () =>
    Promise.resolve()
      .then(() => navigator.clipboard.writeText(text))
      .then(
        () => setState('copied'),
        () => setState('failed'),
      )
  const words = { ready: label, copied: 'Copied', failed: 'Could not copy' }[state]
  const Icon = state === 'copied' ? Check : Copy
  return (
    <Button
      size="sm"
      look={corner ? 'plain' : 'soft'}
      onClick={() => void copy()}
      title={corner ? words : undefined}
      aria-label={corner ? words : undefined}
      className={clsx(
        corner &&
          'absolute top-1 right-1 px-1.5! opacity-0 focus-visible:opacity-100 group-hover/long:opacity-100 pointer-coarse:opacity-100',
      )}
      icon={<Icon className="size-3.5" aria-hidden />}
    >
      {corner ? null : words}
    </Button>
  )
}

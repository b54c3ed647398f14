'use client'
import { Check, Copy } from 'lucide-react'
import { useState } from 'react'
import { Button } from './button'

export function CopyButton({ text, label = 'Copy' }: { text: string; label?: string }) {
  const [copied, setCopied] = useState(false)
  async function copy() {
    await navigator.clipboard.writeText(text)
    setCopied(true)
    setTimeout(() => setCopied(false), 1_500)
  }
  return (
    <Button
      size="sm"
      onClick={() => void copy()}
      icon={copied ? <Check className="size-3.5" aria-hidden /> : <Copy className="size-3.5" aria-hidden />}
    >
      {copied ? 'Copied' : label}
    </Button>
  )
}

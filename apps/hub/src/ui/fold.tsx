'use client'
import { clsx } from 'clsx'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { Button } from './forms/button'
import { useKept } from './kept-state'

/** Tall content shows its beginning; the rest on demand. */
export function Fold({ keep, children }: { keep: string; children: ReactNode }) {
  const box = useRef<HTMLDivElement>(null)
  const [open, setOpen] = useKept(`${keep}-fold`, false)
  const [tall, setTall] = useState(false)
  useEffect(() => {
    const element = box.current
    if (element && !open) setTall(element.scrollHeight > element.clientHeight + 40)
  }, [open])
  return (
    <>
      <div
        ref={box}
        data-testid="fold"
        // Whole lines: none is cut in its middle.
        className={clsx(!open && 'max-h-[12lh] overflow-hidden', !open && tall && 'mask-b-from-75%')}
      >
        {children}
      </div>
      {tall || open ? (
        <Button size="sm" look="plain" className="-ml-2.5 mt-1" onClick={() => setOpen(!open)}>
          {open ? 'Show less' : 'Show more'}
        </Button>
      ) : null}
    </>
  )
}

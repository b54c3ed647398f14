'use client'
import { type ReactNode, useEffect, useState } from 'react'
import { useHub } from './hub-provider'
import { isOwner, takeOver } from './own-store'
import { pageProver } from './page-prover'

const RETRY_MS = 1_000

interface OwnPagesProps {
  meanwhile: ReactNode
  children: ReactNode
}

/**
 * Pages that read what a person stored in this browser. After a new login they wait until the hub has said whose login it
 * is.
 */
export function OwnPages({ meanwhile, children }: OwnPagesProps) {
  const { rest } = useHub()
  const [isBegun, setBegun] = useState(false)
  useEffect(() => {
    let isClosed = false
    async function begin(): Promise<void> {
      const key = await pageProver().current()
      if (!key || isOwner(key.keyId)) return
      for (; !isClosed; ) {
        const me = await rest.me().catch(() => null)
        if (me) return takeOver(key.keyId, me.userId)
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
      }
    }
    // A browser that stores nothing still shows the page.
    void begin()
      .catch(() => {})
      .then(() => isClosed || setBegun(true))
    return () => {
      isClosed = true
    }
  }, [rest])
  return isBegun ? children : meanwhile
}

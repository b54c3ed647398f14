'use client'
import { useRouter } from 'next/navigation'
import { useRef } from 'react'
import { useMay } from '../../live/use-me'
import { NewSessionDialog } from './new-session/new-session'
import { SessionsPage } from './sessions-page'

/** The address of the form: the list of sessions with the form open over it. */
export function NewSessionPage() {
  const router = useRouter()
  const isStarted = useRef(false)
  return (
    <>
      <SessionsPage />
      <NewSessionDialog
        open={useMay('session.create', true)}
        onStarted={() => {
          isStarted.current = true
        }}
        onClose={() => {
          // A started session has an address of its own, and the page is on its way there.
          if (!isStarted.current) router.replace('/sessions')
        }}
      />
    </>
  )
}

'use client'
import { EmptyState } from '../../ui/forms/notice'
import { AddAgentButton } from '../agents/add-agent'
import { NewSessionButton } from '../sessions/new-session/new-session'

/** What the inbox says before anything is in it. */
export function Welcome() {
  return (
    <EmptyState
      title="Nothing here yet"
      action={
        <>
          <NewSessionButton />
          <AddAgentButton look="soft" />
        </>
      }
    >
      Start a session on a connected machine, or add an agent on another machine. Requests that need your answer appear
      here.
    </EmptyState>
  )
}

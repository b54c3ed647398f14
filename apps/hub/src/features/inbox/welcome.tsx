'use client'
import { useAgents } from '../../live/use-agents'
import { useMay } from '../../live/use-me'
import { EmptyState } from '../../ui/forms/notice'
import { AddAgentButton } from '../agents/add-agent'
import { WHO_ADDS_MACHINES } from '../agents/who-adds-machines'
import { NewSessionButton } from '../sessions/new-session/new-session'

/** The text of an inbox that never had an item. */
export function Welcome() {
  const { agents, loaded } = useAgents()
  const mayAdd = useMay('token.manage')
  const noMachine = loaded && agents.length === 0
  return (
    <EmptyState
      title="Nothing here yet"
      action={
        <>
          {noMachine && !mayAdd ? null : <NewSessionButton />}
          {mayAdd ? <AddAgentButton look="soft" /> : null}
        </>
      }
    >
      {mayAdd
        ? 'Start a session on a connected machine, or add another machine. '
        : noMachine
          ? `Sessions run on machines, and no machine is shared with you yet. ${WHO_ADDS_MACHINES} `
          : 'Start a session on a connected machine. '}
      Requests that need your decision appear here.
    </EmptyState>
  )
}

'use client'
import { type EnrollmentTokenMade, toCodedError } from '@roundhouse/backend-types'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { useHub } from '../../live/hub-provider'
import { Button } from '../../ui/button'
import { late } from '../../ui/late'
import { ErrorNotice } from '../../ui/notice'
import type { AddAgentDialogProps } from './add-agent-dialog'

const AddAgentDialog = late<AddAgentDialogProps>(() =>
  import('./add-agent-dialog').then((module) => module.AddAgentDialog),
)

export function AddAgentButton({ look = 'solid' }: { look?: 'solid' | 'soft' }) {
  const hub = useHub()
  const [made, setMade] = useState<EnrollmentTokenMade | null>(null)
  const [error, setError] = useState<{ code: string; message: string } | null>(null)

  async function open() {
    try {
      setMade(await hub.rest.makeEnrollmentToken({}))
      setError(null)
    } catch (thrown) {
      setError(toCodedError(thrown).toBody())
    }
  }

  return (
    <>
      <Button look={look} onClick={() => void open()} icon={<Plus className="size-4" aria-hidden />}>
        Add agent
      </Button>
      {error ? <ErrorNotice error={error} /> : null}
      {made ? <AddAgentDialog made={made} onClose={() => setMade(null)} /> : null}
    </>
  )
}

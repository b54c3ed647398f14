'use client'
import { type EnrollmentTokenMade, toCodedError } from '@roundhouse/backend-types'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { useHub } from '../../live/hub-provider'
import { Button } from '../../ui/forms/button'
import { ErrorNotice } from '../../ui/forms/notice'
import { lateDialog } from '../../ui/overlays/late-dialog'
import { Opening } from '../../ui/overlays/opening'
import type { AddAgentDialogProps } from './add-agent-dialog'

const AddAgentDialog = lateDialog<AddAgentDialogProps>(() =>
  import('./add-agent-dialog').then((module) => module.AddAgentDialog),
)

export function AddAgentButton({ look = 'solid' }: { look?: 'solid' | 'soft' }) {
  const hub = useHub()
  const [made, setMade] = useState<EnrollmentTokenMade | null>(null)
  const [asked, setAsked] = useState(false)
  const [error, setError] = useState<{ code: string; message: string } | null>(null)

  async function open() {
    setAsked(true)
    setMade(null)
    try {
      setMade(await hub.rest.makeEnrollmentToken({}))
      setError(null)
    } catch (thrown) {
      setError(toCodedError(thrown).toBody())
      setAsked(false)
    }
  }
  const close = () => {
    setAsked(false)
    setMade(null)
  }

  return (
    <>
      <Button look={look} onClick={() => void open()} icon={<Plus className="size-4" aria-hidden />}>
        Add machine
      </Button>
      {error ? <ErrorNotice error={error} /> : null}
      {asked && !made ? <Opening onClose={close} /> : null}
      {asked && made ? <AddAgentDialog made={made} onClose={close} /> : null}
    </>
  )
}

'use client'
/** Asks for confirmation before a session's program is stopped, or the session is ended or deleted. */
import { type SessionView, toCodedError } from '@roundhouse/backend-types'
import { useMutation } from '@tanstack/react-query'
import { useRouter } from 'next/navigation'
import { useHub } from '../../../live/hub-provider'
import { Confirm } from '../../../ui/overlays/confirm'

export interface SessionConfirmProps {
  asked: 'kill' | 'end' | 'tree' | 'delete'
  view: SessionView
  onClose: () => void
}

const words = {
  kill: {
    title: 'Stop program?',
    action: 'Stop program',
    text: 'Use this when the program hangs. The current turn ends; your next prompt continues the same conversation.',
  },
  end: {
    title: 'End this session for good?',
    action: 'End session for good',
    text: 'The program stops, and the session takes no more prompts. The transcript stays.',
  },
  tree: {
    title: 'End the whole tree?',
    action: 'End all its sessions',
    text: 'The session at the root and every session below it end for good, also on machines that are away and any that is being started. The transcripts stay.',
  },
  delete: {
    title: 'Delete this session?',
    action: 'Delete for good',
    text: 'The transcript is erased here and on the machine. The program’s own record of the conversation stays on the machine.',
  },
}

export function SessionConfirm({ asked, view: { sessionId }, onClose }: SessionConfirmProps) {
  const { rest } = useHub()
  const router = useRouter()
  const deeds = {
    kill: () => rest.endProcess(sessionId),
    end: () => rest.stop(sessionId),
    tree: () => rest.stopTree(sessionId),
    delete: () => rest.deleteSession(sessionId),
  }
  const deed = useMutation({
    mutationFn: async () => {
      await deeds[asked]()
    },
    onSuccess: () => (asked === 'delete' ? router.push('/sessions') : onClose()),
  })
  const { title, action, text } = words[asked]
  return (
    <Confirm
      onClose={onClose}
      title={title}
      action={action}
      onConfirm={() => deed.mutate()}
      busy={deed.isPending}
      error={deed.error ? toCodedError(deed.error).toBody() : null}
    >
      {text}
    </Confirm>
  )
}

'use client'
import { useSyncExternalStore } from 'react'
import { Button, type ButtonProps } from './button'

const never = () => () => {}

/**
 * The submit button of a form that is in the page before its script runs. Without it, the browser would send the form by
 * itself and put the typed values, even a password, into the address.
 */
export function SubmitButton({ disabled, ...rest }: ButtonProps) {
  const awake = useSyncExternalStore(
    never,
    () => true,
    () => false,
  )
  return <Button type="submit" look="solid" className="w-full" disabled={disabled || !awake} {...rest} />
}

import { hasNamespaces, WHY_NO_NAMESPACES } from '../namespaces/namespaces'
import type { Guest } from './guests'
import { realProgram, WHY_NO_PROGRAM } from './program'

const isThere = realProgram.core !== '' && realProgram.cli !== ''
export const canRun = isThere && hasNamespaces
export const WHY_NOT = isThere ? WHY_NO_NAMESPACES : WHY_NO_PROGRAM

/** A line for each case, for whoever looks at it. */
export function print(title: string, figures: Readonly<Record<string, number>>): void {
  const parts = Object.entries(figures).map(([name, ms]) => `${name} ${Math.round(ms)} ms`)
  console.log(`${title}: ${parts.join(', ')}`)
}

/** The same with the time that the guest took. */
export function printGuest(title: string, { firstEchoMs }: Guest, more: Record<string, number> = {}): void {
  print(title, { 'first echo after': firstEchoMs, ...more })
}

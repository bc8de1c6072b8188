import { diagnose } from '#core/room/doctor/diagnose'
import type { Diagnosis, Finding, Way } from '#core/room/doctor/diagnosis'
import { toDoctorRecord } from '#core/room/doctor/doctorRecord'
import { EXIT_ENVIRONMENT, EXIT_OK } from '../../commandLine/failure'
import { readUsedConfig } from '../compose'
import { composeDoctor } from '../doctor/compose'
import type { Program } from './compose'
import type { DoctorCommand } from './options/command'

/**
 * `room doctor`: what works on this machine, and what to do about the rest.
 * @returns the exit code: 0 when players can meet somehow
 * @throws ConfigError
 */
export async function doctor(command: DoctorCommand, program: Program): Promise<number> {
  const env = { ...program.env, ...command.settings.env }
  const dependencies = composeDoctor(env, await readUsedConfig(env))
  if (!command.json) process.stdout.write('Looking, which takes a few seconds …\n\n')
  // Keeps the process: the service's timers do not, and there may be no socket.
  const keepRunning = setInterval(() => {}, 1000)
  const diagnosis = await diagnose(dependencies)
  clearInterval(keepRunning)
  process.stdout.write(
    command.json ? `${JSON.stringify(toDoctorRecord(diagnosis, program.version))}\n` : textOf(diagnosis),
  )
  return diagnosis.canMeet ? EXIT_OK : EXIT_ENVIRONMENT
}

const MARKS: Readonly<Record<Finding['state'], string>> = { ok: 'ok    ', note: 'note  ', failed: 'FAILED' }
const WAYS: Readonly<Record<Way, string>> = {
  nodes: 'over the internet, at a shared node',
  lan: 'on the LAN',
}

export function textOf({ findings, ways, canMeet }: Diagnosis): string {
  const lines = findings.flatMap(({ state, text, hint }) => [
    `${MARKS[state]}  ${text}`,
    ...(hint === undefined ? [] : [`        ${hint}`]),
  ])
  const verdict = canMeet
    ? `Players can meet ${ways.map((way) => WAYS[way]).join(', and ')}.`
    : 'Players cannot meet: mend what has failed above.'
  return `${lines.join('\n')}\n\n${verdict}\n`
}

import { signal } from '@preact/signals'
import type { DoctorRecord } from '#core/room/doctor/diagnosis'
import { ask, askJson } from '../../shared/ask'
import { saveFile } from '../../shared/saveFile'
import { act, type Place } from './store'

/** The doctor's latest findings. */
export const diagnosis = signal<DoctorRecord | undefined>(undefined)

/** Has the service look at what rooms need, which takes some seconds. */
export const examine = () =>
  act('doctor', async () => {
    diagnosis.value = await askJson<DoctorRecord>('/doctor')
  })

/** Saves the log as a file. The service has left secrets out of it. */
export const downloadLog = () => save('doctor', '/log', 'lantern-room', 'log')
/** Saves a report, for those who help. The service has left secrets out of it. */
export const saveReport = () => save('doctor', '/report', 'room-report', 'json')

const save = (at: Place, path: string, name: string, ending: string) =>
  act(at, async () => {
    const time = new Date().toISOString().slice(0, 19).replaceAll(':', '-')
    saveFile(await (await ask(path)).blob(), `${name}-${time}.${ending}`)
  })

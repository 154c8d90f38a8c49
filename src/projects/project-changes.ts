import { Injectable } from '@nestjs/common';

/** Notifies caches of this process about changed projects; other processes read the version from the database. */
@Injectable()
export class ProjectChanges {
  private readonly listeners: ((projectId: number) => void)[] = [];

  /** @param listener called after each committed write inside a project */
  listen(listener: (projectId: number) => void): void {
    this.listeners.push(listener);
  }

  announce(projectId: number): void {
    this.listeners.forEach((listener) => listener(projectId));
  }
}

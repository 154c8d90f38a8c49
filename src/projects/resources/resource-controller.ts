import {
  applyDecorators,
  Controller,
  Delete,
  Get,
  HttpCode,
  Inject,
  Patch,
  Post,
  Put,
  Query,
} from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Can, InProject } from '../../platform/access/route-access';
import { InScope, ProjectScope } from '../../platform/access/scope';
import type { Created, Listed, Shown } from '../../common/http/answers';
import type { RawQuery } from '../../common/lists/list-query';
import {
  CreateOperation,
  DeleteOperation,
  FindOperation,
  ListOperation,
  ShowOperation,
  UpdateOperation,
} from '../../common/openapi/operations';
import { Submission, Submitted } from '../../common/validation/submission';
import {
  FindByName,
  type NamedFields,
  type NamedRecord,
  type ProjectItem,
  type Resource,
  type WritableResource,
} from './resource';
import type { ProjectItems } from '../project-items';

/*
 * The routes of standard resources. Controllers extend one of these classes and can add routes. Each route declares its
 * whole path below the project. If the path in the decorator were empty, the whole path would end with a slash, like
 * the paths of console pages.
 */

const ControllerOf = ({ chapter, collection, pathItem }: Resource): ClassDecorator =>
  applyDecorators(
    InProject({ collection, items: [pathItem] }),
    Controller('projects/:project'),
    ApiTags(chapter),
  );

const List = ({ record, readTexts, path, permission = 'read' }: Resource): MethodDecorator =>
  applyDecorators(ListOperation(record, readTexts.list), Can(permission), Get(path));

const Show = ({ record, readTexts, path, type, permission = 'read' }: Resource): MethodDecorator =>
  applyDecorators(ShowOperation(record, readTexts.show), Can(permission), Get(`${path}/:${type}`));

/** The POST route that finds a record by name. It changes nothing, so read permission is enough. */
const Find = ({ record, readTexts, path, permission = 'read' }: Resource): MethodDecorator =>
  applyDecorators(
    FindOperation(record, FindByName, readTexts.find),
    Can(permission, { ability: 'read' }),
    HttpCode(200),
    Post(`${path}/find-by-name`),
  );

const Create = ({ record, writes, writeTexts, path, permission }: WritableResource): MethodDecorator => {
  const { create, created } = writes;
  return applyDecorators(
    CreateOperation(
      created?.record ?? record,
      create,
      writeTexts.create,
      created && { dryRun: created.dryRun },
    ),
    Can(permission ?? 'definitions:write'),
    Post(path),
  );
};

const Update = (
  method: 'put' | 'patch',
  { record, writes, writeTexts, path, type, permission }: WritableResource,
): MethodDecorator =>
  applyDecorators(
    UpdateOperation(record, writes.update, writeTexts[method]),
    Can(permission ?? 'definitions:write'),
    (method === 'put' ? Put : Patch)(`${path}/:${type}`),
  );

const Remove = ({ writeTexts, path, type, permission }: WritableResource): MethodDecorator =>
  applyDecorators(
    DeleteOperation(writeTexts.remove),
    Can(permission ?? 'definitions:write'),
    HttpCode(204),
    Delete(`${path}/:${type}`),
  );

/** A controller for a read-only resource. */
export function ReadOnlyController<E extends ProjectItem, R extends NamedRecord>(resource: Resource<E, R>) {
  @ControllerOf(resource)
  class ReadOnlyRoutes {
    constructor(@Inject(resource.items) readonly items: ProjectItems<E, R>) {}

    @List(resource)
    list(@InScope() scope: ProjectScope, @Query() query: RawQuery): Promise<Listed<R>> {
      return this.items.list(scope, query);
    }

    @Show(resource)
    show(@InScope() scope: ProjectScope): Promise<Shown<R>> {
      return this.items.show(scope);
    }

    @Find(resource)
    find(
      @InScope() scope: ProjectScope,
      @Submitted(FindByName) submission: Submission<FindByName>,
    ): Promise<Shown<R>> {
      return this.items.findByName(scope, submission);
    }
  }
  return ReadOnlyRoutes;
}

/** A controller for a resource that the API reads and writes. */
export function ResourceController<
  E extends ProjectItem,
  R extends NamedRecord,
  C extends NamedFields,
  U extends NamedFields,
>(resource: WritableResource<E, R, C, U>) {
  const { record, writes } = resource;

  @ControllerOf(resource)
  class ResourceRoutes {
    constructor(@Inject(resource.items) readonly items: ProjectItems<E, R, C, U>) {}

    @List(resource)
    list(@InScope() scope: ProjectScope, @Query() query: RawQuery): Promise<Listed<R>> {
      return this.items.list(scope, query);
    }

    @Create(resource)
    create(
      @InScope() scope: ProjectScope,
      @Submitted(writes.create, record) submission: Submission<C>,
    ): Promise<Created<R>> {
      return this.items.create(scope, submission);
    }

    @Find(resource)
    find(
      @InScope() scope: ProjectScope,
      @Submitted(FindByName) submission: Submission<FindByName>,
    ): Promise<Shown<R>> {
      return this.items.findByName(scope, submission);
    }

    @Show(resource)
    show(@InScope() scope: ProjectScope): Promise<Shown<R>> {
      return this.items.show(scope);
    }

    @Update('put', resource)
    put(
      @InScope() scope: ProjectScope,
      @Submitted(writes.update, record) submission: Submission<U>,
    ): Promise<Shown<R>> {
      return this.items.update(scope, submission);
    }

    @Update('patch', resource)
    patch(
      @InScope() scope: ProjectScope,
      @Submitted(writes.update, record) submission: Submission<U>,
    ): Promise<Shown<R>> {
      return this.items.update(scope, submission);
    }

    @Remove(resource)
    remove(@InScope() scope: ProjectScope): Promise<void> {
      return this.items.remove(scope);
    }
  }
  return ResourceRoutes;
}
